import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { newRun, sessionId, type TestRun } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

interface Run {
  readonly id: string;
  readonly total_cost: string | null;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly prompt_cost_details: object | null;
  readonly price?: { readonly model: string; readonly items: readonly object[] } | null;
}

describe('the cost of traces', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const usage = { input_tokens: 1000, output_tokens: 100, input_token_details: { cache_read: 400 } };
  /** A call of `gpt-4o`, whose million tokens cost $2.50 as input, $1.25 from a cache and $10 as output. */
  const call = (parent: TestRun, fields: object = {}) =>
    newRun({
      parent,
      name: 'model',
      run_type: 'llm',
      extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o' } },
      outputs: { usage_metadata: usage },
      ...fields,
    });
  const CALL = (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6;

  async function send(...runs: TestRun[]): Promise<void> {
    const sent = await platform.fetch('/runs/batch', { method: 'POST', body: { post: runs } });
    assert.equal(sent.status, 202, await sent.text());
  }

  async function read({ trace_id }: TestRun): Promise<Map<string, Run>> {
    const names = ['id', 'total_cost', 'prompt_cost', 'completion_cost', 'prompt_cost_details', 'price'];
    const body = { trace: trace_id, select: names };
    const answer = await platform.fetch('/runs/query', { method: 'POST', body });
    const { runs } = (await answer.json()) as { runs: Run[] };
    return new Map(runs.map((run) => [run.id, run]));
  }

  it('is computed for calls without a stated cost, and summed over the calls', async () => {
    const root = newRun({ name: 'agent' });
    const [first, second] = [call(root), call(root)];
    await send(root, first, second);
    const runs = await read(root);
    const { price, ...run } = runs.get(first.id) ?? assert.fail();
    assert.deepEqual([run.total_cost, run.prompt_cost, run.completion_cost], ['0.003', '0.002', '0.001']);
    assert.deepEqual(run.prompt_cost_details, { cache_read: '0.0005' });
    assert.equal(price?.model, 'openai:gpt-4o');
    assert.deepEqual(price?.items[0], {
      kind: 'output',
      direction: 'output',
      count: 100,
      price: 10,
      cost: 0.001,
    });
    assert.equal(Number(runs.get(root.id)?.total_cost), 2 * CALL);
  });

  it('is what the client states, where it states one', async () => {
    const root = newRun({ name: 'agent' });
    const told = call(root, { outputs: { usage_metadata: { ...usage, total_cost: 0.5 } } });
    await send(root, told);
    const run = (await read(root)).get(told.id);
    assert.deepEqual([run?.total_cost, run?.price], ['0.5', null]);
  });

  it('is unknown, not 0, for a model without a price', async () => {
    const root = newRun({ name: 'agent' });
    const extra = { metadata: { ls_provider: 'ollama', ls_model_name: 'gpt-4o' } };
    const local = call(root, { extra });
    await send(root, local);
    const runs = await read(root);
    assert.deepEqual([runs.get(local.id)?.total_cost, runs.get(root.id)?.total_cost], [null, null]);
  });

  it('is 0, not unknown, where the price is 0', async () => {
    const free = { usage_metadata: { ...usage, total_cost: 0, input_cost: 0, output_cost: 0 } };
    const root = newRun({ name: 'agent' });
    const told = call(root, { outputs: free });
    const alone = newRun({ name: 'model', run_type: 'llm', outputs: free });
    await send(root, told, alone);
    const costs = (run: Run | undefined) => [run?.total_cost, run?.prompt_cost, run?.completion_cost];
    assert.deepEqual(costs((await read(root)).get(told.id)), ['0', '0', '0']);
    assert.deepEqual(costs((await read(alone)).get(alone.id)), ['0', '0', '0']);
  });

  it('depends on the model that answered, and on the fields of the post when the usage comes with an update', async () => {
    const root = newRun({ name: 'agent' });
    const answered = call(root, {
      outputs: {
        usage_metadata: usage,
        message: { response_metadata: { model_name: 'gpt-4o-mini-2024-07-18' } },
      },
    });
    const begun = call(root, { outputs: undefined });
    await send(root, answered, begun);
    const { id, trace_id, dotted_order, parent_run_id } = begun;
    const patch = [{ id, trace_id, dotted_order, parent_run_id, outputs: { usage_metadata: usage } }];
    await platform.fetch('/runs/batch', { method: 'POST', body: { patch } });
    const runs = await read(root);
    assert.equal(runs.get(answered.id)?.price?.model, 'openai:gpt-4o-mini');
    assert.equal(Number(runs.get(begun.id)?.total_cost), CALL);
  });

  it('counts a call that two layers of OpenTelemetry report once, at the service tier of the answer', async () => {
    const hex = (bytes: number) => randomBytes(bytes).toString('hex');
    const traceId = hex(16);
    const [outer, inner] = [hex(8), hex(8)];
    const start = BigInt(Date.now()) * 1_000_000n;
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const number = (key: string, intValue: number) => ({ key, value: { intValue } });
    const attributes = [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.provider.name', 'openai'),
      text('gen_ai.request.model', 'my-deployment'),
      text('gen_ai.response.model', 'gpt-5'),
      text('openai.response.service_tier', 'flex'),
      number('gen_ai.usage.input_tokens', 1000),
      number('gen_ai.usage.output_tokens', 100),
    ];
    const times = { startTimeUnixNano: `${start}`, endTimeUnixNano: `${start + 1_000_000n}` };
    const spans = [
      { traceId, spanId: outer, name: 'chat', attributes, ...times },
      { traceId, spanId: inner, parentSpanId: outer, name: 'chat again', attributes, ...times },
    ];
    const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
    const project = `p-${hex(4)}`;
    const headers = { 'langsmith-project': project };
    const sent = await platform.fetch('/otel/v1/traces', { method: 'POST', body, headers });
    assert.equal(sent.status, 200);
    const query = { session: [await sessionId(platform, project)], order: 'asc', select: ['total_cost'] };
    const found = await platform.fetch('/runs/query', { method: 'POST', body: query });
    const { runs } = (await found.json()) as { runs: Run[] };
    assert.deepEqual(
      runs.map(({ total_cost }) => total_cost),
      ['0.001125', null],
    );
  });

  it('counts a call once that two layers report side by side, in one request or in two', async () => {
    const hex = (bytes: number) => randomBytes(bytes).toString('hex');
    const now = BigInt(Date.now()) * 1_000_000n;
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const number = (key: string, intValue: number) => ({ key, value: { intValue } });
    const [traceId, app] = [hex(16), hex(8)];
    /** A call with an answer, from one millisecond to another. */
    const call = (id: string, [from, to]: readonly [number, number]) => ({
      ...{ traceId, spanId: hex(8), parentSpanId: app, name: 'chat' },
      startTimeUnixNano: `${now + BigInt(from) * 1_000_000n}`,
      endTimeUnixNano: `${now + BigInt(to) * 1_000_000n}`,
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.provider.name', 'anthropic'),
        text('gen_ai.request.model', 'claude-sonnet-4-5'),
        text('gen_ai.response.id', id),
        number('gen_ai.usage.input_tokens', 100),
        number('gen_ai.usage.output_tokens', 20),
      ],
    });
    const root = {
      ...{ traceId, spanId: app, name: 'app', attributes: [] },
      startTimeUnixNano: `${now}`,
      endTimeUnixNano: `${now + 100_000_000n}`,
    };
    const project = `p-${hex(4)}`;
    const send = async (...spans: object[]) => {
      const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
      const headers = { 'langsmith-project': project };
      assert.equal((await platform.fetch('/otel/v1/traces', { method: 'POST', body, headers })).status, 200);
    };
    // OpenLLMetry's span encloses Anthropic's own, which is not its child.
    await send(call('msg_1', [1, 9]), call('msg_1', [2, 8]), root);
    await send(call('msg_2', [11, 19]));
    await send(call('msg_2', [10, 20]));
    // Other calls: one with another answer at the same time, and one that repeats an earlier ID, as fake
    // models do.
    await send(call('msg_3', [12, 18]), call('msg_1', [30, 40]));
    const query = {
      session: [await sessionId(platform, project)],
      is_root: true,
      select: ['total_tokens', 'total_cost'],
    };
    const found = await platform.fetch('/runs/query', { method: 'POST', body: query });
    const { runs } = (await found.json()) as { runs: { total_tokens: number; total_cost: string }[] };
    assert.deepEqual(
      runs.map(({ total_tokens, total_cost }) => [total_tokens, total_cost]),
      [[480, String((4 * (100 * 3 + 20 * 15)) / 1e6)]],
    );
  });

  it('can be computed again after prices.json was written, which keeps what clients stated', async () => {
    const extra = { metadata: { ls_provider: 'openai', ls_model_name: `ours-${randomUUID()}` } };
    const root = newRun({ name: 'agent' });
    const told = call(root, { extra, outputs: { usage_metadata: { ...usage, total_cost: 0.5 } } });
    const unknown = call(root, { extra });
    await send(root, told, unknown);
    const apply = async () => {
      const answer = await platform.fetch('/harbor/prices/apply', { method: 'POST', body: {} });
      return (await answer.json()) as { changed: number; without_price: { model: string; runs: number }[] };
    };
    const before = await apply();
    const model = extra.metadata.ls_model_name;
    assert.deepEqual(
      before.without_price.filter((one) => one.model === model),
      [{ provider: 'openai', model, runs: 1 }],
    );
    const models = [{ model: 'ours-*', prices: { input_mtok: 2, output_mtok: 5 } }];
    await writeFile(path.join(platform.dataDir, 'prices.json'), JSON.stringify({ models }));
    const seen: { resource: string; id: string }[] = [];
    const unsubscribe = platform.changes.subscribe(platform.workspace.id, (changes) => {
      seen.push(...changes);
    });
    await eventually('prices.json is read', async () => (await apply()).changed === 1);
    const project = await sessionId(platform, 'test');
    await eventually('the project was reported as changed', () =>
      seen.some(({ resource, id }) => resource === 'project' && id === project),
    );
    unsubscribe();
    const runs = await read(root);
    assert.equal(runs.get(unknown.id)?.total_cost, '0.0025');
    assert.equal(runs.get(told.id)?.total_cost, '0.5');
    assert.equal(runs.get(root.id)?.total_cost, '0.5025');
    assert.equal((await apply()).changed, 0);
  });
});
