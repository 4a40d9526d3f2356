import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { sessionId } from '../../support/traces.ts';

interface Attribute {
  key: string;
  value: object;
}
interface Span {
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  events?: { name: string; timeUnixNano: string; attributes: Attribute[] }[];
}
interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}
interface Run {
  name: string;
  run_type: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown> | null;
  events: unknown;
  total_tokens: number;
  first_token_time: string | null;
  extra: { metadata: Record<string, unknown>; otel_resource: Record<string, unknown> };
}

/**
 * Requests of real libraries over OTLP, with a model that answers from a script: `ai` 6.0 (Vercel), `pydantic-ai-slim`
 * 2.68 (GenAI conventions), `openinference-instrumentation-langchain` with langchain-core 1.7 (OpenInference).
 */
describe('OpenTelemetry spans of real libraries', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  /** Sends a recording with the current time. @returns the first run of each name */
  async function replay(name: string, change: (spans: Span[]) => void = () => {}): Promise<Map<string, Run>> {
    const file = new URL(`../../fixtures/otlp/${name}.json`, import.meta.url);
    const recorded = JSON.parse(await readFile(file, 'utf8')) as Export;
    const spans = recorded.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans));
    const first = spans.map((span) => BigInt(span.startTimeUnixNano)).sort()[0] ?? 0n;
    const shift = BigInt(Date.now()) * 1_000_000n - first;
    for (const span of spans) {
      span.startTimeUnixNano = String(BigInt(span.startTimeUnixNano) + shift);
      span.endTimeUnixNano = String(BigInt(span.endTimeUnixNano) + shift);
    }
    change(spans);
    const sent = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: recorded,
      headers: { 'langsmith-project': name },
    });
    assert.deepEqual([sent.status, await sent.json()], [200, {}]);
    const body = { session: [await sessionId(platform, name)], order: 'asc' };
    const found = await platform.fetch('/runs/query', { method: 'POST', body });
    const { runs } = (await found.json()) as { runs: Run[] };
    assert.equal(runs.length, spans.length);
    return new Map(runs.toReversed().map((run) => [run.name, run]));
  }

  function of(runs: Map<string, Run>, name: string): Run {
    const run = runs.get(name);
    assert.ok(run, `${name} among ${[...runs.keys()].join(', ')}`);
    return run;
  }

  it('of the Vercel AI SDK have their messages, tool calls, tokens and the user’s metadata', async () => {
    const runs = await replay('vercel-ai');
    const agent = of(runs, 'ai.generateText');
    assert.deepEqual(
      [agent.run_type, agent.total_tokens, agent.inputs, agent.outputs],
      [
        'chain',
        30,
        { system: 'You are terse.', messages: [{ role: 'user', content: 'Weather in Paris?' }] },
        { messages: [{ role: 'assistant', content: 'It is sunny in Paris.' }] },
      ],
    );
    const model = of(runs, 'ai.generateText.doGenerate');
    assert.deepEqual(
      [model.run_type, model.total_tokens, model.inputs, model.outputs],
      [
        'llm',
        15,
        {
          messages: [
            { role: 'system', content: 'You are terse.' },
            { role: 'user', content: [{ type: 'text', text: 'Weather in Paris?' }] },
          ],
        },
        {
          messages: [
            {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' } }],
            },
          ],
        },
      ],
    );
    assert.deepEqual(
      { ...model.extra.metadata, otel_trace_id: '', otel_span_id: '' },
      {
        'service.name': 'shop',
        'deployment.environment': 'dev',
        user: 'u1',
        ls_model_name: 'gpt-test',
        ls_provider: 'openai.chat',
        otel_trace_id: '',
        otel_span_id: '',
        usage_metadata: {
          input_tokens: 10,
          output_tokens: 5,
          total_tokens: 15,
          input_token_details: { cache_read: 3 },
        },
      },
    );
    const tool = of(runs, 'ai.toolCall get_weather');
    assert.deepEqual(
      [tool.run_type, tool.inputs, tool.outputs],
      ['tool', { city: 'Paris' }, { city: 'Paris', sky: 'sunny' }],
    );
  });

  it('with the GenAI conventions have instructions, arguments and results, and agents count nothing twice', async () => {
    const runs = await replay('pydantic-ai', (spans) => {
      // Other libraries report the sum of an agent under the attribute names for a call.
      const agent = spans.find(({ name }) => name === 'invoke_agent weather');
      agent?.attributes.push(
        { key: 'gen_ai.usage.input_tokens', value: { intValue: '112' } },
        { key: 'gen_ai.usage.output_tokens', value: { intValue: '16' } },
        { key: 'gen_ai.request.model', value: { stringValue: 'gpt-test' } },
        { key: 'order.id', value: { stringValue: 'o-1' } },
      );
    });
    const agent = of(runs, 'invoke_agent weather');
    assert.deepEqual(
      [agent.run_type, agent.total_tokens, agent.outputs],
      ['chain', 53 + 5 + 59 + 11, { value: 'It is sunny in Paris.' }],
    );
    assert.match(JSON.stringify(agent.inputs), /You are terse\..*Weather in Paris\?/);
    assert.equal(agent.extra.metadata['order.id'], 'o-1');
    assert.equal(agent.extra.otel_resource['deployment.environment'], 'dev');
    const model = of(runs, 'chat gpt-test');
    assert.deepEqual(
      [model.run_type, model.inputs],
      [
        'llm',
        {
          messages: [
            { role: 'system', parts: [{ type: 'text', content: 'You are terse.' }] },
            { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] },
          ],
        },
      ],
    );
    assert.match(String(model.extra.metadata.conversation_id), /^[0-9a-f-]{36}$/);
    const tool = of(runs, 'execute_tool get_weather');
    assert.deepEqual(
      [tool.run_type, tool.inputs, tool.outputs],
      ['tool', { city: 'Paris' }, { city: 'Paris', sky: 'sunny' }],
    );
  });

  it('by OpenInference have the model name, tokens, and their own metadata', async () => {
    const runs = await replay('openinference-langchain');
    const model = of(runs, 'M');
    const { ls_model_name, ls_provider, user } = model.extra.metadata;
    assert.deepEqual([model.run_type, ls_model_name, ls_provider, user], ['llm', 'gpt-test', 'openai', 'u1']);
    assert.equal(of(runs, 'RunnableSequence').total_tokens, 15);
  });

  it('keep their events, and messages sent as events', async () => {
    const runs = await replay('one-span', (spans) => {
      const time = spans[0]?.startTimeUnixNano ?? '';
      spans[0]?.events?.push(
        { name: 'ai.stream.firstChunk', timeUnixNano: time, attributes: [] },
        {
          name: 'gen_ai.user.message',
          timeUnixNano: time,
          attributes: [{ key: 'content', value: { stringValue: 'Why?' } }],
        },
        {
          name: 'gen_ai.choice',
          timeUnixNano: time,
          attributes: [{ key: 'content', value: { stringValue: 'Because.' } }],
        },
      );
    });
    const run = of(runs, 'chat');
    assert.deepEqual(run.inputs, { messages: [{ role: 'user', content: 'Why?' }] });
    assert.deepEqual(run.outputs, { messages: [{ role: 'assistant', content: 'Because.' }] });
    assert.ok(run.first_token_time);
    const events = run.events as { name: string; time: string; kwargs: object }[];
    assert.deepEqual(
      events.map(({ name, kwargs }) => [name, kwargs]),
      [
        ['ai.stream.firstChunk', {}],
        ['gen_ai.user.message', { content: 'Why?' }],
        ['gen_ai.choice', { content: 'Because.' }],
      ],
    );
    assert.equal(events[0]?.time, run.first_token_time);
  });
});
