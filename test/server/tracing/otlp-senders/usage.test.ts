import assert from 'node:assert/strict';
import {
  attributeList,
  hex,
  newProject,
  OtlpSender,
  tokens,
  traceRequest,
} from '../../../support/otlp-senders.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';

/** Reduced to the attributes that each sender documents or was seen to send; written by hand, not recorded. */
describe('the usage of OTLP instrumentations', () => {
  let platform: Platform;
  let sender: OtlpSender;
  before(async () => {
    platform = await startPlatform();
    sender = new OtlpSender(platform);
  });
  after(() => platform.close());

  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  const hundred = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 };

  it('does not count an empty text as a number', async () => {
    const run = await sender.span({
      ...call,
      'gen_ai.usage.input_tokens': '',
      'gen_ai.usage.prompt_tokens': '100',
      'gen_ai.usage.output_tokens': 20,
    });
    assert.deepEqual(tokens(run), [100, 20, 120]);
  });

  it('has the costs that senders state', async () => {
    const openInference = await sender.span({
      'openinference.span.kind': 'LLM',
      'llm.cost.total': 0.01,
      'llm.cost.prompt': 0.004,
      'llm.cost.completion': 0.006,
    });
    assert.equal(openInference.total_cost, '0.01');
    assert.equal((await sender.span({ ...call, ...hundred, 'gen_ai.usage.cost': 0.01 })).total_cost, '0.01');
  });

  it('includes what was written to caches, under every name, in the sum', async () => {
    for (const name of [
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'llm.token_count.prompt_details.cache_write',
    ]) {
      const run = await sender.span({ ...call, ...hundred, [name]: 25 });
      assert.deepEqual(
        [tokens(run), run.prompt_token_details],
        [[100, 20, 120], { cache_creation: 25 }],
        name,
      );
    }
    const reasoning = await sender.span({ ...call, ...hundred, 'gen_ai.usage.details.reasoning_tokens': 8 });
    assert.deepEqual(reasoning.completion_token_details, { reasoning: 8 });
  });

  it('keeps the details that langsmith states, and the objects in its metadata', async () => {
    const run = await sender.span({
      ...call,
      ...hundred,
      'langsmith.metadata.usage_metadata': JSON.stringify({
        input_tokens: 100,
        output_tokens: 20,
        total_tokens: 120,
        input_token_details: { cache_read: 40 },
        output_token_details: { reasoning: 8 },
      }),
      'langsmith.metadata.shop': '{"id":7}',
    });
    assert.deepEqual(
      [tokens(run), run.prompt_token_details, run.completion_token_details, run.extra.metadata.shop],
      [[100, 20, 120], { cache_read: 40 }, { reasoning: 8 }, { id: 7 }],
    );
  });

  it('counts embeddings, nested ones once', async () => {
    const embedding = {
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.request.model': 'e',
      'gen_ai.usage.input_tokens': 14,
    };
    const runs = await sender.trace({ attributes: embedding }, { attributes: embedding });
    assert.deepEqual(runs.map(tokens), [
      [14, 0, 14],
      [0, 0, 0],
    ]);
  });

  it('counts a call that two layers report once', async () => {
    const outer = {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': 100,
      'llm.token_count.completion': 20,
    };
    const [root, first, inner] = await sender.trace(
      { name: 'app' },
      { name: 'messages.create', attributes: outer, below: 0 },
      { name: 'anthropic.messages.create', attributes: { ...call, ...hundred }, below: 1 },
    );
    assert.deepEqual(
      [root, first].map((run) => run && tokens(run)),
      [
        [100, 20, 120],
        [100, 20, 120],
      ],
    );
    assert.equal(inner?.run_type, 'llm');
    assert.match(JSON.stringify(inner?.extra.metadata.usage_metadata), /"total_tokens":120/);
  });

  it('counts the inner call when the outer one has no usage', async () => {
    const [root] = await sender.trace(
      { attributes: { 'openinference.span.kind': 'LLM' } },
      { attributes: { ...call, ...hundred } },
    );
    assert.deepEqual(root && tokens(root), [100, 20, 120]);
  });

  it('counts a call by an agent that is a tool of another call', async () => {
    const [root] = await sender.trace(
      { name: 'agent' },
      { attributes: { ...call, ...hundred }, below: 0 },
      { attributes: { 'gen_ai.operation.name': 'execute_tool' }, below: 1 },
      { attributes: { ...call, ...hundred }, below: 2 },
    );
    assert.deepEqual(root && tokens(root), [200, 40, 240]);
  });

  it('counts the sum of an agent only when nothing below it counts', async () => {
    const agent = { 'gen_ai.operation.name': 'invoke_agent', ...hundred };
    const [alone] = await sender.trace({ attributes: agent }, { attributes: agent });
    assert.deepEqual(alone && tokens(alone), [100, 20, 120]);
    const [above] = await sender.trace(
      { attributes: { ...agent, 'gen_ai.usage.input_tokens': 999 } },
      { attributes: { ...call, ...hundred } },
    );
    assert.deepEqual(above && tokens(above), [100, 20, 120]);
  });

  it('counts a call once that two instrumentations report side by side, and every call of a loop', async () => {
    const outer = (scope = 'framework') => ({
      scope,
      attributes: { ...call, ...hundred, 'gen_ai.request.model': 'gpt-5' },
      below: 0,
    });
    const inner = (model = 'gpt-5-2026-01-01') => ({
      scope: 'client',
      attributes: { ...call, ...hundred, 'gen_ai.response.model': model, 'gen_ai.request.model': model },
      below: 0,
    });
    for (const [spans, calls, what] of [
      [[outer(), inner()], 1, 'a pair'],
      [[inner(), outer(), outer(), inner()], 2, 'two pairs'],
      [[outer(), outer(), inner(), inner(), outer('third')], 2, 'two pairs, and a third layer for one'],
      [[outer(), outer(), outer()], 3, 'three calls of one instrumentation'],
      [[outer(), inner(), inner()], 2, 'a pair, and a call without its framework'],
      [[outer(), inner('claude-5')], 2, 'calls of two models'],
    ] as const) {
      const [root] = await sender.trace({ name: 'app' }, ...spans);
      assert.deepEqual(root && tokens(root), [100 * calls, 20 * calls, 120 * calls], what);
    }
  });

  it('counts a call that is in two traces in the one that encloses it, whichever comes first', async () => {
    const now = Date.now();
    const nanoseconds = (offset: number) => String(BigInt(now + offset) * 1_000_000n);
    const at = (start: number, end: number) => ({
      startTimeUnixNano: nanoseconds(start),
      endTimeUnixNano: nanoseconds(end),
    });
    const spanOf = (scope: string, ids: object, times: object) => ({
      scope: { name: scope },
      spans: [
        {
          name: scope,
          spanId: hex(8),
          ...ids,
          ...times,
          attributes: attributeList({ ...call, ...hundred, 'gen_ai.request.model': 'gpt-5' }),
        },
      ],
    });
    const around = (ids: object, start = 0) => spanOf('framework', ids, at(start, start + 100));
    const lone = (start = 10) => spanOf('client', { traceId: hex(16) }, at(start, start + 50));
    const inTrace = (start?: number) => {
      const [traceId, spanId] = [hex(16), hex(8)];
      return [
        { scope: { name: 'app' }, spans: [{ name: 'app', traceId, spanId, ...at(-5, 900) }] },
        around({ traceId, parentSpanId: spanId }, start),
      ];
    };
    for (const [requests, counted, what] of [
      [[[lone()], inTrace()], { app: 120, client: 0 }, 'the lone one first'],
      [[inTrace(), [lone()]], { app: 120, client: 0 }, 'the lone one last'],
      [[[lone()], [around({ traceId: hex(16) })]], { framework: 120, client: 0 }, 'two lone ones'],
      [[[lone(), lone(20)], inTrace()], { app: 120, client: 120 }, 'another lone call at the same time'],
      [
        [inTrace(), [lone()], inTrace(200), [lone(210)]],
        { app: 240, client: 0 },
        'two lone ones, one after the other',
      ],
      [[[lone(-30)], inTrace()], { app: 120, client: 120 }, 'a lone call that began before'],
    ] as const) {
      const project = newProject();
      for (const scopeSpans of requests) await sender.send(project, { resourceSpans: [{ scopeSpans }] });
      const sums: Record<string, number> = {};
      for (const { name, total_tokens, parent_run_id } of await sender.runsOf(project))
        if (parent_run_id === null) sums[name] = (sums[name] ?? 0) + total_tokens;
      assert.deepEqual(sums, counted, what);
    }
  });

  it('counts a call once when its outer layer comes in a later request', async () => {
    const project = newProject();
    const request = traceRequest([
      { name: 'app' },
      { name: 'outer', attributes: { ...call, ...hundred }, below: 0 },
      { name: 'inner', attributes: { ...call, ...hundred }, below: 1 },
    ]);
    const [app, outer, inner] = request.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    for (const spans of [[app, inner], [outer]])
      await sender.send(project, { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const [root] = await sender.runsOf(project);
    assert.deepEqual(root && tokens(root), [100, 20, 120]);
  });

  it('makes a span without an operation a model call', async () => {
    const run = await sender.span({ 'gen_ai.system': 'openai', 'gen_ai.response.model': 'm', ...hundred });
    assert.deepEqual([run.run_type, tokens(run)], ['llm', [100, 20, 120]]);
    const memory = await sender.span({
      'gen_ai.operation.name': 'search_memory',
      'gen_ai.request.model': 'm',
    });
    assert.equal(memory.run_type, 'chain');
  });

  it('of Claude Code includes what came from caches in its input', async () => {
    const run = await sender.span({
      'gen_ai.request.model': 'claude',
      input_tokens: 100,
      output_tokens: 20,
      cache_read_tokens: 30,
      cache_creation_tokens: 10,
    });
    assert.deepEqual(
      [run.run_type, tokens(run), run.prompt_token_details],
      ['llm', [140, 20, 160], { cache_read: 30, cache_creation: 10 }],
    );
  });
});
