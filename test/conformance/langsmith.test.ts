import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, RunTree } from 'langsmith';
import { traceable } from 'langsmith/traceable';
import { type Platform, startPlatform } from '../support/platform.ts';

describe('the langsmith client', () => {
  let platform: Platform;
  let client: Client;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  beforeEach(() => {
    client = new Client({ apiUrl: platform.url, apiKey: platform.workspace.key, autoBatchTracing: true });
  });

  it('traces functions, their children and their errors', async () => {
    const projectName = `conformance ${randomUUID()}`;
    const child = traceable(async (text: string) => text.toUpperCase(), {
      name: 'child',
      run_type: 'tool',
      client,
      tracingEnabled: true,
    });
    const failing = traceable(
      async () => {
        throw new Error('no luck');
      },
      { name: 'failing', client, tracingEnabled: true },
    );
    const parent = traceable(
      async (text: string) => {
        await failing().catch(() => {});
        return child(text);
      },
      {
        name: 'parent',
        client,
        tracingEnabled: true,
        project_name: projectName,
        tags: ['t1'],
        metadata: { user: 'u1' },
      },
    );
    assert.equal(await parent('hello'), 'HELLO');
    await client.awaitPendingTraceBatches();

    const runs = [];
    for await (const run of client.listRuns({ projectName })) runs.push(run);
    assert.deepEqual(runs.map((run) => run.name).sort(), ['child', 'failing', 'parent']);
    const root = runs.find((run) => run.name === 'parent');
    assert.ok(root);
    assert.deepEqual(root.inputs, { input: 'hello' });
    assert.deepEqual(root.outputs, { outputs: 'HELLO' });
    assert.equal(root.status, 'success');
    assert.deepEqual(root.tags, ['t1']);
    assert.equal(root.extra?.metadata?.user, 'u1');
    const failed = runs.find((run) => run.name === 'failing');
    assert.equal(failed?.status, 'error');
    assert.match(failed?.error ?? '', /no luck/);

    const read = await client.readRun(root.id, { loadChildRuns: true });
    assert.deepEqual(read.child_runs?.map((run) => run.name).sort(), ['child', 'failing']);
  });

  it('shows attachments in lists of runs as in a single one', async () => {
    const projectName = `attached ${randomUUID()}`;
    for (const name of ['with', 'without']) {
      const attachments = { note: ['text/plain', new TextEncoder().encode('hello')] } as const;
      const tree = new RunTree({
        name,
        run_type: 'chain',
        inputs: {},
        client,
        project_name: projectName,
        ...(name === 'with' ? { attachments: { note: [...attachments.note] } } : {}),
      });
      await tree.postRun();
    }
    await client.awaitPendingTraceBatches();
    const attached = new Map<string, unknown>();
    for await (const run of client.listRuns({ projectName })) attached.set(run.name, urlsOf(run));
    assert.deepEqual([...attached.keys()].sort(), ['with', 'without']);
    assert.equal(attached.get('without'), null);
    const { 'attachment.note': note } = attached.get('with') as Record<string, { presigned_url: string }>;
    assert.equal(await (await fetch(note?.presigned_url ?? '')).text(), 'hello');
    // Python clients download what is listed, so a request that selects little gets little.
    for await (const run of client.listRuns({ projectName, select: ['name'] }))
      assert.equal(urlsOf(run), undefined);
  });

  it('shows token usage details and cost of a model call', async () => {
    const projectName = `usage ${randomUUID()}`;
    const usage_metadata = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_token_details: { cache_read: 4 },
      output_token_details: { reasoning: 2, audio: 'many' },
      input_cost: 0.001,
      input_cost_details: { cache_read: 0.0004 },
    };
    const ids: string[] = [];
    for (const where of [
      { outputs: { usage_metadata } },
      { outputs: {}, extra: { metadata: { usage_metadata } } },
    ]) {
      const run = { name: 'model', run_type: 'llm', inputs: {}, client, project_name: projectName, ...where };
      const tree = new RunTree(run);
      ids.push(tree.id);
      await tree.postRun();
    }
    await client.awaitPendingTraceBatches();
    const told = {
      prompt_token_details: { cache_read: 4 },
      completion_token_details: { reasoning: 2 },
      prompt_cost_details: { cache_read: '0.0004' },
      completion_cost_details: null,
    };
    const select = Object.keys(told);
    const found: unknown[] = [];
    for await (const run of client.listRuns({ projectName, select })) found.push(pick(run, select));
    assert.deepEqual(found, [told, told]);
    const sums = ['prompt_tokens', 'completion_tokens', 'prompt_cost', 'completion_cost'] as const;
    const beside: unknown[] = [];
    for await (const run of client.listRuns({ projectName, select: [...sums], limit: 120 }))
      beside.push(pick(run, select));
    assert.deepEqual(beside, [told, told], 'beside the sums, without being named');
    for (const id of ids) assert.deepEqual(pick(await client.readRun(id), select), told);
    const second = await client.runs.retrieve(ids[0] ?? '', {
      project_id: (await client.readProject({ projectName })).id,
      selects: ['PROMPT_TOKEN_DETAILS', 'COMPLETION_TOKEN_DETAILS', 'PROMPT_COST_DETAILS', 'PROMPT_COST'],
    });
    assert.deepEqual(second.prompt_token_details, { raw: { cache_read: 4 } });
    assert.deepEqual(second.completion_token_details, { raw: { reasoning: 2 } });
    assert.deepEqual(second.prompt_cost_details, { raw: { cache_read: 0.0004 } });
    assert.equal(second.prompt_cost, 0.001);
  });

  it('posts and patches a RunTree one request at a time when batching is off', async () => {
    const single = new Client({
      apiUrl: `${platform.url}/api/v1`,
      apiKey: platform.workspace.key,
      autoBatchTracing: false,
    });
    const tree = new RunTree({
      name: 'single',
      run_type: 'chain',
      inputs: { a: 1 },
      client: single,
      project_name: 'singles',
    });
    await tree.postRun();
    await tree.end({ b: 2 });
    await tree.patchRun();
    const read = await single.readRun(tree.id);
    assert.deepEqual([read.inputs, read.outputs, read.status], [{ a: 1 }, { b: 2 }, 'success']);
  });

  it('gives feedback, directly and by pre-signed links', async () => {
    const tree = new RunTree({
      name: 'judged',
      run_type: 'chain',
      inputs: {},
      client,
      project_name: 'judged',
    });
    await tree.postRun();
    await client.awaitPendingTraceBatches();
    await client.createFeedback(tree.id, 'correct', { score: 1, comment: 'yes' });
    const token = await client.createPresignedFeedbackToken(tree.id, 'helpful');
    const byGet = await fetch(
      `${token.url}?score=0&comment=${encodeURIComponent('nö')}&correction=${encodeURIComponent('{"a":1}')}`,
    );
    assert.equal(byGet.status, 200);
    const byPost = await fetch(token.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ score: 1, metadata: { page: 'x' } }),
    });
    assert.equal(byPost.status, 200);
    const given = [];
    for await (const feedback of client.listFeedback({ runIds: [tree.id] })) given.push(feedback);
    assert.deepEqual(given.map((feedback) => [feedback.key, feedback.score]).sort(), [
      ['correct', 1],
      ['helpful', 0],
      ['helpful', 1],
    ]);
    const read = await client.readRun(tree.id);
    assert.equal(read.feedback_stats?.helpful?.n, 2);
    assert.equal(read.feedback_stats?.helpful?.avg, 0.5);
  });
});

/** Addresses of attachments, which the client passes on unchanged. */
function urlsOf(run: object): unknown {
  return 's3_urls' in run ? run.s3_urls : undefined;
}

function pick(run: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(run).filter(([name]) => fields.includes(name)));
}
