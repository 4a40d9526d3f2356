import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Endpoint, fillPath, pathParameters } from '../../../src/contract/endpoint.ts';
import { tracingTables } from '../../../src/contract/tables.ts';
import { type Platform, request, startPlatform, type Workspace } from '../../support/platform.ts';
import { newRun, postParts, sendParts, sessionId } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

/** Occurs in everything the owner has, so that it is recognized wherever it turns up. */
const MARK = 'heirloom';

/** Every endpoint that requires a key; new endpoints of the contract are included automatically. */
const endpoints = Object.entries(tracingTables).flatMap(([table, entries]) =>
  Object.entries<Endpoint>(entries)
    .filter(
      ([, endpoint]) =>
        endpoint.credentials === 'api-key' && endpoint.right !== 'owner' && endpoint.kind !== 'multipart',
    )
    .map(([name, endpoint]) => ({ name: `${table}.${name}`, endpoint })),
);

type Ids = Readonly<Record<string, string>>;
/** Request bodies, for endpoints whose schemas require fields. They are made from the owner's IDs. */
const BODIES: Readonly<Record<string, (ids: Ids) => unknown>> = {
  'comparisons.create': (ids) => ({ experiment_ids: [ids.session_id], reference_dataset_id: ids.dataset_id }),
  'datasets.create': () => ({ name: 'theirs' }),
  'datasets.clone': (ids) => ({ source_dataset_id: ids.dataset_id, target_dataset_id: ids.dataset_id }),
  'datasets.tag': () => ({ as_of: 'latest', tag: 'stolen' }),
  'datasets.updateSplits': (ids) => ({ split_name: 'stolen', examples: [ids.example_id] }),
  'examples.create': (ids) => ({ dataset_id: ids.dataset_id, inputs: {} }),
  'examples.createMany': (ids) => [{ dataset_id: ids.dataset_id, inputs: {} }],
  'examples.updateMany': (ids) => [{ id: ids.example_id, inputs: { stolen: true } }],
  'examples.validate': (ids) => ({ dataset_id: ids.dataset_id, inputs: {} }),
  'examples.validateMany': (ids) => [{ dataset_id: ids.dataset_id, inputs: {} }],
  'platformExamples.deleteBatch': (ids) => ({ example_ids: [ids.example_id], hard_delete: true }),
  'experimentRuns.list': (ids) => ({ session_ids: [ids.session_id] }),
  'experimentRunsV2.query': (ids) => ({ experiment_ids: [ids.session_id] }),
  'feedback.createTokens': (ids) => ({ run_id: ids.run_id, feedback_key: 'stolen' }),
  'feedback.create': (ids) => ({ run_id: ids.run_id, key: 'stolen', score: 0 }),
  'feedbackConfigs.create': () => ({ feedback_key: 'theirs', feedback_config: { type: 'freeform' } }),
  'feedbackConfigs.update': () => ({ feedback_key: MARK, is_lower_score_better: true }),
  'identity.renameWorkspace': () => ({ display_name: 'theirs' }),
  'identity.createKey': () => ({}),
  'prices.apply': () => ({}),
  'purging.deleteRuns': () => ({ metadata: { user: MARK } }),
  'purging.deleteTraces': (ids) => ({ session_id: ids.session_id, trace_ids: [ids.trace_id] }),
  'purging.putSettings': () => ({ schedule: null, timezone: 'UTC' }),
  'purging.putWorkspaceTtl': () => ({ longlived_ttl_days: 30 }),
  'rules.create': () => ({ display_name: 'theirs' }),
  'runGroups.group': (ids) => ({ session_id: ids.session_id, group_by: 'conversation' }),
  'runQueries.query': (ids) => ({ ids: [ids.run_id], selects: ['NAME', 'INPUTS'] }),
  'runQueries.threads': (ids) => ({ project_id: ids.session_id }),
  'runQueries.traces': (ids) => ({ trace_ids: [ids.trace_id], selects: ['NAME', 'INPUTS'] }),
  'runs.create': (ids) => ({ id: ids.run_id, name: 'theirs', run_type: 'chain' }),
  'runs.update': () => ({ outputs: { stolen: true } }),
  'runs.batch': () => ({}),
  'runs.query': (ids) => ({ id: [ids.run_id] }),
  'runs.stats': (ids) => ({ session: [ids.session_id] }),
  'sessions.create': () => ({ name: MARK, upsert: true }),
};

/**
 * Endpoints that answer a stranger: they create a resource of the stranger, or list the stranger's resources.
 */
const FOR_STRANGERS = new Set([
  'datasets.create',
  'datasets.list',
  'examples.count',
  'feedback.create',
  'feedback.createTokens',
  'feedback.list',
  'feedback.listTokens',
  'feedbackConfigs.create',
  'feedbackConfigs.list',
  'identity.createKey',
  'identity.currentOrganization',
  'identity.listKeys',
  'identity.listWorkspaces',
  'examples.list',
  'prices.apply',
  'prices.get',
  'purging.audit',
  'purging.deleteRuns',
  'purging.getSettings',
  'purging.getWorkspaceTtl',
  'purging.listJobs',
  'purging.listOrganizationTtl',
  'purging.listTtl',
  'purging.putOrganizationTtl',
  'purging.putSettings',
  'purging.putTtl',
  'purging.putWorkspaceTtl',
  'rules.create',
  'rules.list',
  'runGroups.group',
  'runQueries.query',
  'runQueries.threadTraces',
  'runQueries.threads',
  'runQueries.traces',
  'runs.batch',
  'runs.create',
  'runs.query',
  'runs.stats',
  // A patch for a run that is not there waits for its post, in the stranger's own workspace.
  'runs.update',
  'sessions.create',
  'sessions.list',
]);

describe('the isolation of a workspace at every endpoint', () => {
  let platform: Platform;
  let ids: Ids;
  let before_: string;

  before(async () => {
    platform = await startPlatform();
    const run = newRun({ name: MARK, session_name: MARK, tags: [MARK] });
    const sent = await sendParts(platform, [
      ...postParts(run, {
        inputs: { word: MARK },
        extra: { metadata: { user: MARK, thread_id: MARK } },
      }),
      { name: `attachment.${run.id}.${MARK}`, content: Buffer.from(MARK), contentType: 'text/plain' },
    ]);
    assert.equal(sent.status, 202);
    const made = async (route: string, body: object, method = 'POST') =>
      (await (await platform.fetch(route, { method, body })).json()) as { id: string; job_id: string };
    const { id: dataset_id } = await made('/datasets', { name: MARK });
    const session_id = await sessionId(platform, MARK);
    const { id: example_id } = await made('/examples', { dataset_id, inputs: { word: MARK } });
    const comparison = await made('/datasets/comparative', {
      name: MARK,
      experiment_ids: [session_id],
      reference_dataset_id: dataset_id,
    });
    await made(`/runs/${run.id}/share`, {}, 'PUT');
    await made(`/datasets/${dataset_id}/share`, {}, 'PUT');
    await made('/feedback-configs', { feedback_key: MARK, feedback_config: { type: 'freeform' } });
    const job = await made('/runs/delete', { metadata: { user: `${MARK} of nobody` } });
    // Fields that change by themselves afterwards cannot be compared.
    const verified = async () => {
      const response = await platform.fetch(`/purge/jobs/${job.job_id}`);
      return z.looseObject({ status: z.string() }).parse(await response.json()).status === 'verified';
    };
    await eventually('the purge has ended', verified, Boolean);
    ids = {
      run_id: run.id,
      trace_id: run.trace_id,
      session_id,
      dataset_id,
      example_id,
      thread_id: MARK,
      name: MARK,
      feedback_id: (await made('/feedback', { key: MARK, run_id: run.id, score: 1 })).id,
      api_key_id: (await made('/api-key', { description: MARK })).id,
      rule_id: (await made('/runs/rules', { display_name: MARK, filter: `eq(name, "${MARK}")` })).id,
      comparative_experiment_id: comparison.id,
      job_id: job.job_id,
      workspace_id: platform.workspace.id,
      feedback_key: MARK,
    };
    before_ = await eventually('nothing changes any more', everything, (text) => text === lastSeen(text));
  });
  after(() => platform.close());

  let seen = '';
  function lastSeen(text: string): string {
    const last = seen;
    seen = text;
    return last;
  }

  /** The owner's view of everything that the stranger requests. */
  async function everything(): Promise<string> {
    const routes = [
      `/runs/${ids.run_id}?exclude_serialized=false`,
      `/sessions/${ids.session_id}`,
      `/datasets/${ids.dataset_id}`,
      `/datasets/${ids.dataset_id}/versions`,
      `/datasets/${ids.dataset_id}/comparative`,
      `/examples?dataset=${ids.dataset_id}`,
      `/feedback?run=${ids.run_id}`,
      `/feedback/tokens?run_id=${ids.run_id}`,
      '/feedback-configs',
      '/runs/rules',
      '/api-key',
      '/purge/jobs',
      '/purge/settings',
      '/ttl-settings',
      `/runs/${ids.run_id}/share`,
      `/datasets/${ids.dataset_id}/share`,
    ];
    const answers = await Promise.all(
      routes.map(async (route) => `${route} ${await (await platform.fetch(route)).text()}`),
    );
    // Links are signed anew each time.
    return answers.join('\n').replace(/attachments\/[\w.-]+/g, '');
  }

  /** The query parameters of an endpoint, filled with IDs of the owner. */
  function queryOf(endpoint: Endpoint): string {
    const names = Object.keys(endpoint.query?.shape ?? {});
    const known: Readonly<Record<string, string | undefined>> = {
      run: ids.run_id,
      session: ids.session_id,
      project_id: ids.session_id,
      session_ids: ids.session_id,
      example_ids: ids.example_id,
      dataset: ids.dataset_id,
      from_version: 'latest',
      to_version: 'latest',
      as_of: 'latest',
      ...ids,
      // These filter the stranger's own resources.
      name: undefined,
      example: undefined,
    };
    const query = new URLSearchParams();
    for (const name of names) {
      const value = known[name];
      if (value !== undefined) query.set(name, value);
    }
    return query.size === 0 ? '' : `?${query}`;
  }

  for (const { name, endpoint } of endpoints) {
    it(`hides its data from a stranger at ${name}`, async () => {
      // This is a new caller, so all visible data would be the owner's.
      const stranger: Workspace = await platform.newWorkspace();
      const unfilled = pathParameters(endpoint.path).filter((parameter) => ids[parameter] === undefined);
      assert.deepEqual(unfilled, [], 'the owner has something for every parameter of the path');
      const asksForBody =
        'body' in endpoint && endpoint.body !== undefined && endpoint.method !== 'GET'
          ? !z.safeParse(endpoint.body, {}).success
          : false;
      assert.ok(!asksForBody || BODIES[name] !== undefined, `${name} needs a body here`);
      const body = BODIES[name]?.(ids) ?? (asksForBody || endpoint.method === 'GET' ? undefined : {});
      const route = fillPath(endpoint.path, ids) + queryOf(endpoint);
      const response = await request(platform.url, stranger, route, {
        method: endpoint.method,
        ...(body === undefined || endpoint.method === 'DELETE' ? {} : { body }),
      });
      const text = await response.text();
      // Values that the stranger sent itself may come back to it.
      if (name !== 'sessions.create' && response.ok) assert.ok(!text.includes(MARK), text);
      if (!FOR_STRANGERS.has(name)) {
        assert.ok([404, 409].includes(response.status), `${response.status} ${text}`);
      } else assert.ok(response.status < 500 && response.status !== 422, `${response.status} ${text}`);
    });
  }

  it('leaves everything unchanged', async () => {
    assert.equal(await everything(), before_);
  });
});
