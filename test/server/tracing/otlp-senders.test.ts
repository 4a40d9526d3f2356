import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { tracesRequestType } from '../../../src/server/tracing/otlp/protobuf.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { sessionId } from '../../support/traces.ts';

type Value = string | number | boolean | object;
interface Sent {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, Value>>;
  }[];
  readonly status?: object;
  /** The name of the instrumentation. */
  readonly scope?: string;
  /** The position in the request of the span that it is below; the first is the root. */
  readonly below?: number;
}
interface Run {
  readonly id: string;
  readonly parent_run_id: string | null;
  readonly name: string;
  readonly run_type: string;
  readonly status: string;
  readonly error: string | null;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown> | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly total_cost: string | null;
  readonly prompt_token_details: object | null;
  readonly completion_token_details: object | null;
  readonly extra: { metadata: Record<string, unknown>; otel: Record<string, unknown> };
}

/** Reduced to the attributes that each sender documents or was seen to send; written by hand, not recorded. */
describe('the attributes of instrumentations', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const hex = (bytes: number) => randomBytes(bytes).toString('hex');
  const anyValue = (value: Value) =>
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'boolean'
        ? { boolValue: value }
        : typeof value === 'object'
          ? value
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value };
  const list = (attributes: Readonly<Record<string, Value>> = {}) =>
    Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

  function requestOf(spans: readonly Sent[], traceId: string, resource?: Readonly<Record<string, Value>>) {
    const start = BigInt(Date.now()) * 1_000_000n;
    const ids = spans.map(() => hex(8));
    const sent = spans.map(({ name, attributes, events, status, below }, at) => ({
      traceId,
      spanId: ids[at],
      ...(at === 0 ? {} : { parentSpanId: ids[below ?? 0] }),
      name: name ?? `span ${at}`,
      startTimeUnixNano: String(start + BigInt(at) * 1000n),
      endTimeUnixNano: String(start + 100_000_000n),
      attributes: list(attributes),
      ...(status === undefined ? {} : { status }),
      events: (events ?? []).map((event) => ({
        name: event.name,
        timeUnixNano: String(start),
        attributes: list(event.attributes),
      })),
    }));
    const scopeSpans = [...Map.groupBy(sent, (_span, at) => spans[at]?.scope)].map(([name, some]) => ({
      ...(name === undefined ? {} : { scope: { name } }),
      spans: some,
    }));
    return {
      resourceSpans: [
        { ...(resource === undefined ? {} : { resource: { attributes: list(resource) } }), scopeSpans },
      ],
    };
  }

  /** Sends a trace. @returns its runs, in the order in which they were sent. */
  async function trace(...spans: Sent[]): Promise<Run[]> {
    const project = `p-${hex(4)}`;
    const sent = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: requestOf(spans, hex(16)),
      headers: { 'langsmith-project': project },
    });
    assert.deepEqual([sent.status, await sent.json()], [200, {}]);
    return runsOf(project);
  }

  async function runsOf(project: string): Promise<Run[]> {
    const body = { session: [await sessionId(platform, project)], order: 'asc' };
    const found = await platform.fetch('/runs/query', { method: 'POST', body });
    return ((await found.json()) as { runs: Run[] }).runs;
  }

  async function span(sent: Sent | Readonly<Record<string, Value>>): Promise<Run> {
    const isSent = 'attributes' in sent || 'events' in sent || 'status' in sent;
    const [run] = await trace(isSent ? (sent as Sent) : { attributes: sent as Record<string, Value> });
    assert.ok(run);
    return run;
  }

  const tokens = ({ prompt_tokens, completion_tokens, total_tokens }: Run) => [
    prompt_tokens,
    completion_tokens,
    total_tokens,
  ];

  describe('messages', () => {
    it('from OpenLLMetry are put back together, with the tools they call', async () => {
      const run = await span({
        'llm.request.type': 'chat',
        'gen_ai.request.model': 'm',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Weather?',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.tool_calls.0.id': 'c1',
        'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
        'gen_ai.completion.0.tool_calls.0.arguments': '{"city":"Paris"}',
      });
      assert.deepEqual(
        [run.run_type, run.inputs, run.outputs],
        [
          'llm',
          { messages: [{ role: 'user', content: 'Weather?' }] },
          {
            messages: [
              {
                role: 'assistant',
                tool_calls: [{ id: 'c1', name: 'get_weather', args: { city: 'Paris' } }],
              },
            ],
          },
        ],
      );
    });

    it('from OpenInference take precedence over its values, with tools and parameters beside them', async () => {
      const run = await span({
        'openinference.span.kind': 'LLM',
        'input.value': "ChatMessage(role='user', ...)",
        'output.value': 'assistant: ',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'text',
        'llm.input_messages.0.message.contents.0.message_content.text': 'Weather?',
        'llm.input_messages.0.message.contents.1.message_content.type': 'image',
        'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://a.test/p.png',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"city":"Paris"}',
        'llm.tools.0.tool.json_schema': '{"name":"get_weather"}',
        'llm.invocation_parameters': '{"model":"gpt-5","temperature":0}',
      });
      assert.deepEqual(run.inputs, {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Weather?' },
              { type: 'image_url', image_url: { url: 'https://a.test/p.png' } },
            ],
          },
        ],
        tools: [{ name: 'get_weather' }],
        invocation_params: { model: 'gpt-5', temperature: 0 },
      });
      assert.deepEqual(run.outputs, {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'c1', name: 'get_weather', args: { city: 'Paris' } }] },
        ],
      });
      assert.equal(run.extra.metadata.ls_model_name, 'gpt-5');
      assert.equal(run.extra.otel['output.value'], 'assistant: ');
    });

    it('from OpenInference are its values when it sends no messages', async () => {
      const run = await span({
        'openinference.span.kind': 'LLM',
        'input.value': '{"prompt":"Weather?","model":"gpt-5"}',
        'output.value': 'Sunny',
      });
      assert.deepEqual(
        [run.inputs, run.outputs, run.extra.metadata.ls_model_name],
        [{ prompt: 'Weather?', model: 'gpt-5' }, { value: 'Sunny' }, 'gpt-5'],
      );
    });

    it('from Google’s ADK are inputs and outputs instead of metadata, and its session is the thread', async () => {
      const llmRequest = {
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        config: { system_instruction: 'Be terse.' },
      };
      const llmResponse = { content: { role: 'model', parts: [{ text: 'hello' }] } };
      const [call, tool] = await trace(
        {
          attributes: {
            'gen_ai.system': 'gcp.vertex.agent',
            'gen_ai.request.model': 'gemini',
            'gcp.vertex.agent.llm_request': JSON.stringify(llmRequest),
            'gcp.vertex.agent.llm_response': JSON.stringify(llmResponse),
            'gcp.vertex.agent.session_id': 'S6',
          },
        },
        {
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gcp.vertex.agent.llm_request': '{}',
            'gcp.vertex.agent.llm_response': '{}',
            'gcp.vertex.agent.tool_call_args': '{"city":"Paris"}',
            'gcp.vertex.agent.tool_response': '{"sky":"sunny"}',
          },
        },
      );
      assert.deepEqual([call?.inputs, call?.outputs], [llmRequest, llmResponse]);
      assert.equal(call?.extra.metadata.session_id, 'S6');
      assert.deepEqual([tool?.inputs, tool?.outputs], [{ city: 'Paris' }, { sky: 'sunny' }]);
      for (const run of [call, tool])
        assert.doesNotMatch(JSON.stringify(run?.extra.metadata), /llm_re|tool_call_args|tool_response/);
    });

    it('in events are parsed, and the message of a choice is the message', async () => {
      const strands = await span({
        attributes: { 'gen_ai.operation.name': 'chat' },
        events: [
          { name: 'gen_ai.user.message', attributes: { content: '[{"text":"Weather in Paris?"}]' } },
          {
            name: 'gen_ai.choice',
            attributes: {
              message: '[{"toolUse":{"toolUseId":"c1","name":"get_weather","input":{"city":"Paris"}}}]',
              finish_reason: 'tool_use',
            },
          },
        ],
      });
      assert.deepEqual(strands.inputs, {
        messages: [{ role: 'user', content: [{ text: 'Weather in Paris?' }] }],
      });
      assert.deepEqual(strands.outputs, {
        messages: [
          {
            role: 'assistant',
            finish_reason: 'tool_use',
            content: [{ toolUse: { toolUseId: 'c1', name: 'get_weather', input: { city: 'Paris' } } }],
          },
        ],
      });
      const whole = await span({
        attributes: { 'gen_ai.operation.name': 'chat' },
        events: [{ name: 'gen_ai.choice', attributes: { message: '{"role":"assistant","content":"hi"}' } }],
      });
      assert.deepEqual(whole.outputs, { messages: [{ role: 'assistant', content: 'hi' }] });
    });

    it('in the event with an operation’s details, or in that with its content, are inputs and outputs', async () => {
      const user = { role: 'user', parts: [{ type: 'text', content: 'Hi' }] };
      const answer = { role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] };
      const details = await span({
        attributes: { 'gen_ai.operation.name': 'chat' },
        events: [
          {
            name: 'gen_ai.client.inference.operation.details',
            attributes: {
              'gen_ai.input.messages': JSON.stringify([user]),
              'gen_ai.output.messages': JSON.stringify([answer]),
              'gen_ai.system_instructions': '[{"type":"text","content":"Be terse."}]',
            },
          },
        ],
      });
      assert.deepEqual(details.inputs, {
        messages: [{ role: 'system', parts: [{ type: 'text', content: 'Be terse.' }] }, user],
      });
      assert.deepEqual(details.outputs, { messages: [answer] });
      const content = await span({
        attributes: { 'gen_ai.operation.name': 'chat' },
        events: [
          {
            name: 'gen_ai.content.prompt',
            attributes: { 'gen_ai.prompt': '[{"role":"user","content":"Hi"}]' },
          },
          { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': 'Hello' } },
        ],
      });
      assert.deepEqual(content.inputs, { messages: [{ role: 'user', content: 'Hi' }] });
      assert.deepEqual(content.outputs, { value: 'Hello' });
    });

    it('about a tool from Strands are its arguments and its result', async () => {
      const run = await span({
        attributes: { 'gen_ai.operation.name': 'execute_tool' },
        events: [
          {
            name: 'gen_ai.tool.message',
            attributes: { role: 'tool', content: '{"city":"Paris"}', id: 'c1' },
          },
          { name: 'gen_ai.choice', attributes: { message: '[{"text":"sunny"}]', id: 'c1' } },
        ],
      });
      assert.deepEqual([run.inputs, run.outputs], [{ city: 'Paris' }, { value: [{ text: 'sunny' }] }]);
    });

    it('from Mastra’s agents and steps are inputs and outputs', async () => {
      const run = await span({
        'gen_ai.operation.name': 'invoke_agent',
        'mastra.agent_run.input': '[{"role":"user","content":"Weather?"}]',
        'mastra.agent_run.output': '{"text":"Sunny"}',
        'mastra.metadata.threadId': 'T1',
      });
      assert.deepEqual(
        [run.inputs, run.outputs, run.extra.metadata.thread_id],
        [
          { messages: [{ role: 'user', content: 'Weather?' }] },
          { messages: [{ role: 'assistant', content: 'Sunny' }] },
          'T1',
        ],
      );
      assert.equal(run.extra.metadata['mastra.agent_run.input'], undefined);
    });
  });

  it('include the documents of retrievers and rerankers, and the texts that are embedded', async () => {
    const [retriever, reranker, embedding, vercel] = await trace(
      {
        attributes: {
          'openinference.span.kind': 'RETRIEVER',
          'input.value': 'q',
          'retrieval.documents.0.document.content': 'Paris is sunny',
          'retrieval.documents.0.document.score': 0.9,
          'retrieval.documents.0.document.metadata': '{"page":3}',
        },
      },
      {
        attributes: {
          'openinference.span.kind': 'RERANKER',
          'reranker.query': 'q',
          'reranker.input_documents.0.document.content': 'a',
          'reranker.output_documents.0.document.content': 'b',
        },
      },
      {
        attributes: {
          'openinference.span.kind': 'EMBEDDING',
          'embedding.embeddings.1.embedding.text': 'two',
          'embedding.embeddings.0.embedding.text': 'one',
        },
      },
      {
        attributes: {
          'ai.operationId': 'ai.embedMany.doEmbed',
          'ai.values': { arrayValue: { values: [{ stringValue: '"hello"' }] } },
        },
      },
    );
    assert.deepEqual(
      [retriever?.inputs, retriever?.outputs],
      [{ value: 'q' }, { documents: [{ content: 'Paris is sunny', score: 0.9, metadata: { page: 3 } }] }],
    );
    assert.deepEqual(
      [reranker?.run_type, reranker?.inputs, reranker?.outputs],
      ['retriever', { query: 'q', documents: [{ content: 'a' }] }, { documents: [{ content: 'b' }] }],
    );
    assert.deepEqual(embedding?.inputs, { input: ['one', 'two'] });
    assert.deepEqual(vercel?.inputs, { value: ['hello'] });
    assert.doesNotMatch(JSON.stringify(retriever?.extra.metadata), /Paris/);
  });

  describe('failures', () => {
    const exception = (attributes: Record<string, string>) => [{ name: 'exception', attributes }];

    it('are what the status says they are: a handled exception is none', async () => {
      for (const status of [{ code: 1 }, undefined]) {
        const run = await span({
          attributes: { 'output.value': 'second try worked' },
          events: exception({ 'exception.message': 'first try' }),
          ...(status === undefined ? {} : { status }),
        });
        assert.deepEqual([run.status, run.error], ['success', null]);
      }
      const failed = await span({
        events: [
          ...exception({ 'exception.message': 'first try' }),
          ...exception({ 'exception.message': 'second try' }),
        ],
        status: { code: 2 },
      });
      assert.deepEqual([failed.status, failed.error], ['error', 'second try']);
    });

    it('begin with the interrupt or the cancellation that the exception is', async () => {
      const stack = 'Traceback (most recent call last):\n  File "a.py", line 1, in ask';
      const interrupt = await span({
        events: exception({
          'exception.type': 'langgraph.errors.GraphInterrupt',
          'exception.message': "(Interrupt(value='ok?', id='1'),)",
          'exception.stacktrace': stack,
        }),
        status: { code: 2 },
      });
      assert.equal(interrupt.error, `GraphInterrupt((Interrupt(value='ok?', id='1'),))\n\n${stack}`);
      const canceled = await span({
        events: exception({ 'exception.type': 'asyncio.exceptions.CancelledError' }),
        status: { code: 2 },
      });
      assert.equal(canceled.error, 'CancelledError()');
    });

    it('do not include commands for the enclosing graph', async () => {
      const run = await span({
        events: exception({ 'exception.type': 'langgraph.errors.ParentCommand' }),
        status: { code: 2 },
      });
      assert.deepEqual([run.status, run.error], ['success', null]);
    });
  });

  describe('usage', () => {
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
    const hundred = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 };

    it('has the costs that senders state', async () => {
      const openInference = await span({
        'openinference.span.kind': 'LLM',
        'llm.cost.total': 0.01,
        'llm.cost.prompt': 0.004,
        'llm.cost.completion': 0.006,
      });
      assert.equal(openInference.total_cost, '0.01');
      assert.equal((await span({ ...call, ...hundred, 'gen_ai.usage.cost': 0.01 })).total_cost, '0.01');
    });

    it('includes what was written to caches, under every name, in the sum', async () => {
      for (const name of [
        'gen_ai.usage.cache_write.input_tokens',
        'gen_ai.usage.cache_creation.input_tokens',
        'gen_ai.usage.cache_creation_input_tokens',
        'llm.token_count.prompt_details.cache_write',
      ]) {
        const run = await span({ ...call, ...hundred, [name]: 25 });
        assert.deepEqual(
          [tokens(run), run.prompt_token_details],
          [[100, 20, 120], { cache_creation: 25 }],
          name,
        );
      }
      const reasoning = await span({ ...call, ...hundred, 'gen_ai.usage.details.reasoning_tokens': 8 });
      assert.deepEqual(reasoning.completion_token_details, { reasoning: 8 });
    });

    it('keeps the details that langsmith states, and the objects in its metadata', async () => {
      const run = await span({
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
      const runs = await trace({ attributes: embedding }, { attributes: embedding });
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
      const [root, first, inner] = await trace(
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
      const [root] = await trace(
        { attributes: { 'openinference.span.kind': 'LLM' } },
        { attributes: { ...call, ...hundred } },
      );
      assert.deepEqual(root && tokens(root), [100, 20, 120]);
    });

    it('counts a call by an agent that is a tool of another call', async () => {
      const [root] = await trace(
        { name: 'agent' },
        { attributes: { ...call, ...hundred }, below: 0 },
        { attributes: { 'gen_ai.operation.name': 'execute_tool' }, below: 1 },
        { attributes: { ...call, ...hundred }, below: 2 },
      );
      assert.deepEqual(root && tokens(root), [200, 40, 240]);
    });

    it('counts the sum of an agent only when nothing below it counts', async () => {
      const agent = { 'gen_ai.operation.name': 'invoke_agent', ...hundred };
      const [alone] = await trace({ attributes: agent }, { attributes: agent });
      assert.deepEqual(alone && tokens(alone), [100, 20, 120]);
      const [above] = await trace(
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
        const [root] = await trace({ name: 'app' }, ...spans);
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
            attributes: list({ ...call, ...hundred, 'gen_ai.request.model': 'gpt-5' }),
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
        const project = `p-${hex(4)}`;
        for (const scopeSpans of requests) {
          const sent = await platform.fetch('/otel/v1/traces', {
            method: 'POST',
            body: { resourceSpans: [{ scopeSpans }] },
            headers: { 'langsmith-project': project },
          });
          assert.deepEqual([sent.status, await sent.json()], [200, {}]);
        }
        const sums: Record<string, number> = {};
        for (const { name, total_tokens, parent_run_id } of await runsOf(project))
          if (parent_run_id === null) sums[name] = (sums[name] ?? 0) + total_tokens;
        assert.deepEqual(sums, counted, what);
      }
    });

    it('counts a call once when its outer layer comes in a later request', async () => {
      const project = `p-${hex(4)}`;
      const request = requestOf(
        [
          { name: 'app' },
          { name: 'outer', attributes: { ...call, ...hundred }, below: 0 },
          { name: 'inner', attributes: { ...call, ...hundred }, below: 1 },
        ],
        hex(16),
      );
      const [app, outer, inner] = request.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
      for (const spans of [[app, inner], [outer]]) {
        const sent = await platform.fetch('/otel/v1/traces', {
          method: 'POST',
          body: { resourceSpans: [{ scopeSpans: [{ spans }] }] },
          headers: { 'langsmith-project': project },
        });
        assert.deepEqual([sent.status, await sent.json()], [200, {}]);
      }
      const [root] = await runsOf(project);
      assert.deepEqual(root && tokens(root), [100, 20, 120]);
    });

    it('makes a span a model call that names no operation', async () => {
      const run = await span({ 'gen_ai.system': 'openai', 'gen_ai.response.model': 'm', ...hundred });
      assert.deepEqual([run.run_type, tokens(run)], ['llm', [100, 20, 120]]);
      const memory = await span({ 'gen_ai.operation.name': 'search_memory', 'gen_ai.request.model': 'm' });
      assert.equal(memory.run_type, 'chain');
    });

    it('of Claude Code includes what came from caches in its input', async () => {
      const run = await span({
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

  it('may have numbers that JSON lacks', async () => {
    const run = await span({ score: { doubleValue: 'NaN' }, high: { doubleValue: 'Infinity' }, low: 0.5 });
    assert.deepEqual(
      [run.extra.otel.score, run.extra.otel.high, run.extra.otel.low],
      ['NaN', 'Infinity', 0.5],
    );
    const type = tracesRequestType();
    const traceId = hex(16);
    const request = requestOf([{ attributes: { score: { doubleValue: Number.NaN } } }], traceId);
    const bytes = (id: string | undefined) => Buffer.from(id ?? '', 'hex');
    const spans = request.resourceSpans[0]?.scopeSpans[0]?.spans.map((each) => ({
      ...each,
      traceId: bytes(each.traceId),
      spanId: bytes(each.spanId),
    }));
    const response = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: type.encode(type.fromObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] })).finish(),
      headers: { 'content-type': 'application/x-protobuf', 'langsmith-project': 'nan' },
    });
    assert.equal(response.status, 200);
    assert.equal((await runsOf('nan'))[0]?.extra.otel.score, 'NaN');
  });

  it('names conversations the way each sender does', async () => {
    for (const [name, key] of [
      ['session.id', 'session_id'],
      ['langfuse.session.id', 'session_id'],
      ['ai.telemetry.metadata.sessionId', 'session_id'],
      ['gcp.vertex.agent.session_id', 'session_id'],
      ['mastra.metadata.threadId', 'thread_id'],
      ['gen_ai.conversation.id', 'conversation_id'],
    ] as const)
      assert.equal((await span({ [name]: 'S1' })).extra.metadata[key], 'S1', name);
  });

  it('names the project in the resource, as Phoenix’s `register` does', async () => {
    const sent = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: requestOf([{}], hex(16), {
        'openinference.project.name': 'phoenix',
        'langsmith.internal_provider': true,
      }),
    });
    assert.equal(sent.status, 200);
    const [run] = await runsOf('phoenix');
    assert.equal(run?.extra.metadata['langsmith.internal_provider'], undefined);
  });
});
