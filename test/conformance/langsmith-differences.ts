const HUB = 'missing: prompts, skills and agents are part of the cloud’s hub';
const QUEUES = 'missing: only the cloud has annotation queues';

/**
 * Methods of the langsmith client whose behavior differs from what their names promise, or that are not
 * supported.
 */
export const langsmithDifferences: Readonly<Record<string, string>> = {
  getRunUrl: 'works; the URL is a page of the cloud that does not exist here: open traces in VS Code',
  getProjectUrl: 'works; the URL is a page of the cloud that does not exist here',
  getDatasetUrl: 'works; the URL is a page of the cloud that does not exist here',
  'runs.getURL': 'works; the URL is that of the run on this server, and needs the key',
  listSharedRuns:
    'missing: this client puts no `?` before the parameters of the URL; `client.public.runs.query()` works',
  listGroupRuns: 'works; conversations only, without a filter',
  deleteProject: 'works; the project is hidden immediately, and purged by a job',
  ...Object.fromEntries(
    [
      'promptExists',
      'likePrompt',
      'unlikePrompt',
      'listCommits',
      'listPrompts',
      'getPrompt',
      'createPrompt',
      'createCommit',
      'updatePrompt',
      'deletePrompt',
      'pullPromptCommit',
      'pushPrompt',
      'agentExists',
      'skillExists',
      'pullAgent',
      'pullSkill',
      'pushAgent',
      'pushSkill',
      'deleteAgent',
      'deleteSkill',
      'listAgents',
      'listSkills',
    ].map((name) => [name, HUB]),
  ),
  ...Object.fromEntries(
    [
      'listAnnotationQueues',
      'createAnnotationQueue',
      'readAnnotationQueue',
      'updateAnnotationQueue',
      'deleteAnnotationQueue',
      'addRunsToAnnotationQueue',
      'getRunFromAnnotationQueue',
      'listRunsFromAnnotationQueue',
      'deleteRunFromAnnotationQueue',
      'getSizeFromAnnotationQueue',
    ].map((name) => [name, QUEUES]),
  ),
};

const INSIGHTS = 'missing: the cloud’s agents create reports and issues';
const FORMULAS = 'missing: the client itself no longer supports formulas';
const PANDAS = 'not tested, because it needs pandas; it sends the same requests as ';
const OWN = 'sends no request itself';

/** The same for Python's client. */
export const pythonLangsmithDifferences: Readonly<Record<string, string>> = {
  get_run_url: 'works; the URL is a page of the cloud that does not exist here: open traces in VS Code',
  'runs.get_url': 'works; the URL is that of the run on this server, and needs the key',
  delete_project: 'works; the project is hidden immediately, and purged by a job',
  upsert_examples_multipart:
    'missing: deprecated by the client; `upload_examples_multipart` and `update_examples_multipart` work',
  list_shared_projects:
    'works; share experiments with `PUT /datasets/{dataset_id}/share?share_projects=true`',
  upload_dataframe: `${PANDAS}\`upload_csv\``,
  get_test_results: `${PANDAS}\`list_runs\` and \`list_examples\``,
  ...of(OWN, ['cleanup', 'close', 'flush_compressed_traces', 'request_with_retries']),
  ...of(INSIGHTS, ['generate_insights', 'get_insights_report', 'poll_insights', 'list_project_issues']),
  ...of(FORMULAS, [
    'list_feedback_formulas',
    'get_feedback_formula_by_id',
    'create_feedback_formula',
    'update_feedback_formula',
    'delete_feedback_formula',
  ]),
  ...of(HUB, [
    'like_prompt',
    'unlike_prompt',
    'list_prompts',
    'get_prompt',
    'create_prompt',
    'create_commit',
    'update_prompt',
    'delete_prompt',
    'list_prompt_commits',
    'pull_prompt_commit',
    'pull_prompt',
    'push_prompt',
    'agent_exists',
    'skill_exists',
    'pull_agent',
    'pull_skill',
    'push_agent',
    'push_skill',
    'delete_agent',
    'delete_skill',
    'list_agents',
    'list_skills',
  ]),
  ...of(QUEUES, [
    'list_annotation_queues',
    'create_annotation_queue',
    'read_annotation_queue',
    'update_annotation_queue',
    'delete_annotation_queue',
    'add_runs_to_annotation_queue',
    'get_run_from_annotation_queue',
    'list_runs_from_annotation_queue',
    'delete_run_from_annotation_queue',
  ]),
};

function of(text: string, methods: readonly string[]): Record<string, string> {
  return Object.fromEntries(methods.map((name) => [name, text]));
}
