import assert from 'node:assert/strict';
import { type Platform, request, startPlatform, type Workspace } from '../../support/platform.ts';
import {
  BOUNDARY,
  multipartBody,
  newRun,
  postParts,
  sendParts,
  sessionId,
  type TestRun,
} from '../../support/traces.ts';

/** Two workspaces each try to read, change and delete the other's resources through every endpoint. */
describe('a workspace', () => {
  let platform: Platform;
  let stranger: Workspace;
  let run: TestRun;
  let ids: { session: string; feedback: string; dataset: string; example: string; key: string };

  before(async () => {
    platform = await startPlatform();
    stranger = await platform.newWorkspace();
    run = newRun({ name: 'mine', session_name: 'mine' });
    const parts = [
      ...postParts(run, { inputs: { word: 'heirloom' }, extra: { metadata: { user: 'u1' } } }),
      { name: `attachment.${run.id}.note`, content: Buffer.from('mine'), contentType: 'text/plain' },
    ];
    assert.equal((await sendParts(platform, parts)).status, 202);
    const made = async (route: string, body: object) =>
      ((await (await platform.fetch(route, { method: 'POST', body })).json()) as { id: string }).id;
    const dataset = await made('/datasets', { name: 'mine' });
    ids = {
      session: await sessionId(platform, 'mine'),
      feedback: await made('/feedback', { key: 'k', run_id: run.id, score: 1 }),
      dataset,
      example: await made('/examples', { dataset_id: dataset, inputs: { a: 1 }, metadata: { user: 'u1' } }),
      key: await made('/api-key', {}),
    };
  });
  after(() => platform.close());

  const asStranger = (method: string, route: string, body?: unknown) =>
    request(platform.url, stranger, route, { method, ...(body === undefined ? {} : { body }) });

  it('hides its data from another one that requests it by ID', async () => {
    const attempts: [string, string, unknown?][] = [
      ['GET', `/runs/${run.id}`],
      ['GET', `/runs/${run.id}/attachments/note`],
      ['GET', `/traces/${run.trace_id}/tree`],
      ['GET', `/api/v2/runs/${run.id}`],
      ['GET', `/sessions/${ids.session}`],
      ['PATCH', `/sessions/${ids.session}`, { name: 'stolen' }],
      ['DELETE', `/sessions/${ids.session}`],
      ['DELETE', `/sessions?session_ids=${ids.session}`],
      ['GET', `/feedback/${ids.feedback}`],
      ['PATCH', `/feedback/${ids.feedback}`, { score: 0 }],
      ['DELETE', `/feedback/${ids.feedback}`],
      ['GET', `/datasets/${ids.dataset}`],
      ['PATCH', `/datasets/${ids.dataset}`, { name: 'stolen' }],
      ['DELETE', `/datasets/${ids.dataset}`],
      ['GET', `/datasets/${ids.dataset}/versions`],
      ['GET', `/datasets/${ids.dataset}/version`],
      ['GET', `/datasets/${ids.dataset}/versions/diff?from_version=latest&to_version=latest`],
      ['GET', `/datasets/${ids.dataset}/splits`],
      ['PUT', `/datasets/${ids.dataset}/splits`, { split_name: 's', examples: [ids.example] }],
      ['PUT', `/datasets/${ids.dataset}/tags`, { as_of: 'latest', tag: 't' }],
      ['GET', `/datasets/${ids.dataset}/csv`],
      ['GET', `/datasets/${ids.dataset}/jsonl`],
      ['POST', '/examples', { dataset_id: ids.dataset, inputs: {} }],
      ['POST', '/examples/bulk', [{ dataset_id: ids.dataset, inputs: {} }]],
      ['GET', `/examples?dataset=${ids.dataset}`],
      ['GET', `/examples/${ids.example}`],
      ['PATCH', `/examples/${ids.example}`, { inputs: {} }],
      ['DELETE', `/examples/${ids.example}`],
      ['DELETE', `/examples?example_ids=${ids.example}`],
      ['POST', '/v1/platform/datasets/examples/delete/', { example_ids: [ids.example], hard_delete: true }],
      ['POST', '/v1/platform/datasets/examples/delete/', { example_ids: [ids.example] }],
      ['POST', '/api/v1/runs/delete', { session_id: ids.session, trace_ids: [run.trace_id] }],
      ['POST', '/runs/delete/traces', { session_id: ids.session, trace_ids: [run.trace_id] }],
      ['DELETE', `/api-key/${ids.key}`],
    ];
    for (const [method, route, body] of attempts) {
      const response = await asStranger(method, route, body);
      assert.equal(response.status, 404, `${method} ${route} answers ${response.status}`);
    }
  });

  it('does not appear in the lists of another one', async () => {
    const lists: [string, string, unknown?][] = [
      ['GET', '/sessions'],
      ['GET', `/feedback?run=${run.id}`],
      ['GET', `/feedback/tokens?run_id=${run.id}`],
      ['GET', '/datasets'],
      ['GET', `/examples?id=${ids.example}`],
      ['GET', `/examples?metadata=${encodeURIComponent('{"user":"u1"}')}`],
      ['GET', '/purge/jobs'],
      ['GET', '/purge/audit'],
    ];
    for (const [method, route, body] of lists) {
      assert.deepEqual(await (await asStranger(method, route, body)).json(), [], route);
    }
    for (const query of [
      { session: [ids.session] },
      { id: [run.id] },
      { trace: run.trace_id },
      { session: [ids.session], filter: 'search("heirloom")' },
      { id: [run.id], filter: 'eq(metadata_key, "user")' },
    ]) {
      const found = (await (await asStranger('POST', '/runs/query', query)).json()) as { runs: unknown[] };
      assert.deepEqual(found.runs, [], JSON.stringify(query));
    }
    const second = await asStranger('POST', '/api/v2/traces/query', { trace_ids: [run.trace_id] });
    assert.deepEqual(((await second.json()) as { items: unknown[] }).items, []);
    const stats = (await (await asStranger('POST', '/runs/stats', { session: [ids.session] })).json()) as {
      run_count: number;
    };
    assert.equal(stats.run_count ?? 0, 0);
    const dry = await asStranger('POST', '/runs/delete', { metadata: { user: 'u1' }, dry_run: true });
    assert.equal(((await dry.json()) as { would_delete: { traces: number } }).would_delete.traces, 0);
  });

  it('keeps its runs when another one posts, patches or purges under the same ids', async () => {
    const post = multipartBody(
      postParts({ ...run, name: 'theirs', session_name: 'theirs' }, { inputs: { word: 'other' } }),
    );
    const response = await request(platform.url, stranger, '/runs/multipart', {
      method: 'POST',
      body: post,
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    assert.equal(response.status, 202);
    assert.equal((await asStranger('POST', '/runs/delete', { metadata: { user: 'u1' } })).status, 202);
    const mine = (await (await platform.fetch(`/runs/${run.id}`)).json()) as { name: string; inputs: object };
    assert.deepEqual([mine.name, mine.inputs], ['mine', { word: 'heirloom' }]);
    const theirs = (await (await asStranger('GET', `/runs/${run.id}`)).json()) as { name: string };
    assert.equal(theirs.name, 'theirs');
  });

  it('cannot be accessed without a valid key', async () => {
    for (const key of ['', 'ah_wrong']) {
      const response = await fetch(`${platform.url}/sessions`, {
        headers: key === '' ? {} : { 'x-api-key': key },
      });
      assert.equal(response.status, 401);
    }
  });
});
