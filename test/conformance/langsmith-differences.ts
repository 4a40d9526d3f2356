const HUB = 'missing: prompts, skills and agents are kept in the cloud’s hub';
const QUEUES = 'missing: annotation queues are the cloud’s';

/** Methods of the langsmith client that do something else than their name promises, or are not answered at all. */
export const langsmithDifferences: Readonly<Record<string, string>> = {
  getRunUrl:
    'works; the address is one of the cloud’s pages, which are not here: traces are shown in VS Code',
  getProjectUrl: 'works; the address is one of the cloud’s pages, which are not here',
  getDatasetUrl: 'works; the address is one of the cloud’s pages, which are not here',
  'runs.getURL': 'works; the address is the run’s own here, to be read with the key',
  listSharedRuns:
    'missing: this client puts no `?` before the parameters of the address; `client.public.runs.query()` works',
  listGroupRuns: 'works; conversations only, without a filter',
  deleteProject: 'works; the project is hidden at once, and purged by a job',
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
