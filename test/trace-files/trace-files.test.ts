import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Client as LangSmith, type Run as LangSmithRun } from 'langsmith';
import { z } from 'zod';
import { contentTexts } from '../../src/cli/render/span-content.ts';
import type { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { exportTrace } from '../../src/trace-files/export-trace.ts';
import { importTraces } from '../../src/trace-files/import-traces.ts';
import { readTraceFile } from '../../src/trace-files/read-trace-file.ts';
import { type Platform, startPlatform, type Workspace } from '../support/platform.ts';

const recorded = new URL('../fixtures/otlp/recorded/', import.meta.url);
const files = new URL('../fixtures/trace-files/', import.meta.url);
const names = (await readdir(recorded)).map((file) => file.replace('.json', '')).toSorted();

describe('files of traces', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const dispatcher = createDispatcher();
  const clientFor = ({ key }: Workspace) => clientOf({ baseUrl: platform.url, apiKey: key }, dispatcher);
  const elsewhere = async () => clientFor(await platform.newWorkspace());

  async function put(client: Client, text: string, project?: string) {
    return await importTraces(client, readTraceFile(text), { project });
  }

  it('count the spans that were stored, also beside invalid ones', async () => {
    const client = await elsewhere();
    const at = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000001000000000' };
    const traceId = '0123456789abcdef0123456789abcdef';
    const span = (spanId: string, id: unknown) => ({ ...at, spanId, name: 'step', traceId: id });
    const spans = [
      span('0123456789abcde1', traceId),
      span('0123456789abcde2', 7),
      span('0123456789abcde3', undefined),
    ];
    const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }, {}] }, {}] });
    const { refused, ...imported } = await put(client, text);
    assert.deepEqual(imported, { spans: 1, traces: 1 });
    assert.equal(refused.length, 1);
  });

  /**
   * Everything that a workspace returns about its runs, the earliest first, except the place and time of
   * storage.
   */
  async function runsOf(client: Client) {
    const sessions = await client.tracing.sessions.list({});
    const session = sessions.map(({ id }) => id);
    const found = [];
    let cursor: string | null | undefined;
    do {
      const body = { session, order: 'asc', cursor: cursor ?? null } as const;
      const { runs, cursors } = await client.tracing.runs.query({ body });
      for (const run of runs) {
        const { id, trace_id, parent_run_id, name, run_type, status, error, start_time, end_time } = run;
        const { inputs, outputs, tags, events, prompt_tokens, completion_tokens, total_tokens, total_cost } =
          run;
        const { prompt_token_details } = run;
        found.push({
          ...{ id, trace_id, parent_run_id, name, run_type, status, error, start_time, end_time },
          ...{ inputs, outputs, tags, events, prompt_tokens, completion_tokens, total_tokens, total_cost },
          prompt_token_details,
          metadata: z.looseObject({ metadata: z.unknown() }).nullish().parse(run.extra)?.metadata,
        });
      }
      cursor = cursors.next;
    } while (cursor);
    return found.toSorted((a, b) => String(a.id).localeCompare(String(b.id)));
  }

  async function exported(client: Client, traceIds: Iterable<string | undefined>): Promise<string> {
    const texts: string[] = [];
    for (const id of new Set(traceIds)) {
      let text = '';
      for await (const piece of exportTrace(client, id ?? '')) text += piece;
      texts.push(text);
    }
    return texts.map((text) => JSON.stringify(JSON.parse(text))).join('\n');
  }

  for (const name of names) {
    it(`of ${name}, exported and imported elsewhere, have the same spans, messages and tokens`, async () => {
      const [first, second] = [await elsewhere(), await elsewhere()];
      const text = await readFile(new URL(`${name}.json`, recorded), 'utf8');
      const { refused } = await put(first, text, 'p');
      assert.deepEqual(refused, []);
      const before = await runsOf(first);
      assert.ok(before.length >= 2);
      const file = await exported(
        first,
        before.map(({ trace_id }) => trace_id),
      );
      for (let time = 0; time < 2; time++) {
        const { spans, refused: none } = await put(second, file);
        assert.deepEqual([spans, none], [before.length, []]);
        assert.deepEqual(await runsOf(second), before);
      }
    });
  }

  /** A trace as LangSmith's own client sends it. */
  async function sendNative({ key }: Workspace): Promise<{ client: LangSmith; traceId: string }> {
    const client = new LangSmith({ apiUrl: platform.url, apiKey: key, autoBatchTracing: false });
    const [root, call, tool] = [randomUUID(), randomUUID(), randomUUID()];
    const start = Date.now() - 5_000;
    const order = (at: number, id: string) =>
      `${new Date(start + at).toISOString().replace(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
    const run = { trace_id: root, project_name: 'native', start_time: start, end_time: start + 900 };
    const message = { role: 'user', content: 'Weather in Paris?' };
    const calls = [{ id: 'c1', name: 'get_weather', args: { city: 'Paris' } }];
    const usage = {
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_token_details: { cache_read: 40 },
    };
    await client.createRun({
      ...{
        ...run,
        id: root,
        name: 'agent',
        run_type: 'chain',
        dotted_order: order(0, root),
        tags: ['a', 'b'],
      },
      ...{
        inputs: { messages: [message] },
        outputs: { answer: 42 },
        extra: { metadata: { user: 'u1', n: 7, deep: { a: [1] } } },
      },
    });
    await client.createRun({
      ...{ ...run, id: call, parent_run_id: root, name: 'ChatOpenAI', run_type: 'llm' },
      ...{ dotted_order: `${order(0, root)}.${order(1, call)}`, inputs: { messages: [message] } },
      outputs: { messages: [{ role: 'assistant', content: '', tool_calls: calls }], usage_metadata: usage },
      extra: { metadata: { ls_model_name: 'gpt-4o', ls_provider: 'openai' } },
    });
    await client.createRun({
      ...{
        ...run,
        id: tool,
        parent_run_id: root,
        name: 'get_weather',
        run_type: 'tool',
        inputs: { city: 'Paris' },
      },
      ...{ dotted_order: `${order(0, root)}.${order(2, tool)}`, error: 'ValueError: no weather' },
    });
    return { client, traceId: root };
  }

  it('of a native trace restore its runs when imported, and have its messages in the form of the GenAI conventions', async () => {
    const workspace = await platform.newWorkspace();
    const { traceId } = await sendNative(workspace);
    const [first, second] = [clientFor(workspace), await elsewhere()];
    const file = await exported(first, [traceId]);
    const known = (runs: Awaited<ReturnType<typeof runsOf>>) =>
      runs.map(({ metadata, ...run }) => {
        const { otel_trace_id, otel_span_id, usage_metadata, ...own } = z
          .looseObject({})
          .parse(metadata ?? {});
        return { ...run, metadata: own };
      });
    for (let time = 0; time < 2; time++) {
      assert.deepEqual((await put(second, file, 'other')).refused, []);
      assert.deepEqual(known(await runsOf(second)), known(await runsOf(first)));
    }
    const messages =
      /"gen_ai\.output\.messages","value":\{"stringValue":(".*?[^\\]")\}/.exec(file)?.[1] ?? '""';
    const part = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: { city: 'Paris' } };
    assert.deepEqual(JSON.parse(JSON.parse(messages)), [{ role: 'assistant', parts: [part] }]);
  });

  it('from LangSmith, with runs as its client lists them, are imported once', async () => {
    const workspace = await platform.newWorkspace();
    const { client, traceId } = await sendNative(workspace);
    const listed: LangSmithRun[] = [];
    for await (const run of client.listRuns({ traceId })) listed.push(run);
    assert.equal(listed.length, 3);
    const second = await elsewhere();
    for (const text of [listed.map((run) => JSON.stringify(run)).join('\n'), JSON.stringify(listed)]) {
      assert.deepEqual(await put(second, text, 'other'), { spans: 3, traces: 1, refused: [] });
      assert.deepEqual(await runsOf(second), await runsOf(clientFor(workspace)));
    }
    const [project] = await second.tracing.sessions.list({});
    assert.equal(project?.name, 'other');
  });

  it('from LangSmith are refused when a run below another is not one, because its spans would be missing', () => {
    const run = {
      id: '1',
      run_type: 'chain',
      start_time: '2026-01-01T00:00:00Z',
      trace_id: '1',
      dotted_order: '1',
      child_runs: [{ id: '2', name: 'no type' }],
    };
    assert.throws(() => readTraceFile(JSON.stringify(run)), /child_runs\.0 is not a run\./);
  });

  it('from Langfuse, with observations or with traces and their observations, are imported once', async () => {
    const text = await readFile(new URL('langfuse-observations.json', files), 'utf8');
    const { data } = z
      .object({ data: z.array(z.looseObject({ traceId: z.string() })) })
      .parse(JSON.parse(text));
    const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // In the format of its blob storage.
    const stored = data.map((one) =>
      JSON.stringify(Object.fromEntries(Object.entries(one).map(([name, value]) => [snake(name), value]))),
    );
    const trace = {
      id: data[0]?.traceId,
      name: 't',
      timestamp: data[0]?.startTime,
      tags: ['vip'],
      observations: data,
    };
    const client = await elsewhere();
    let before: unknown;
    for (const file of [text, stored.join('\n'), JSON.stringify(trace)]) {
      assert.deepEqual(await put(client, file), { spans: 5, traces: 1, refused: [] });
      before ??= await runsOf(client);
      assert.deepEqual(await runsOf(client), before);
    }
    const runs = await runsOf(client);
    const [agent] = runs.filter(({ parent_run_id }) => !parent_run_id);
    assert.deepEqual([agent?.name, agent?.total_tokens, agent?.total_cost], ['forecaster', 240, '0.6']);
    assert.deepEqual(agent?.prompt_token_details ?? null, null);
    const call = runs.find(({ run_type }) => run_type === 'llm');
    assert.deepEqual([call?.prompt_tokens, call?.prompt_token_details], [100, { cache_read: 40 }]);
    const lines = runs.flatMap(({ inputs, outputs }) => [...contentTexts(inputs), ...contentTexts(outputs)]);
    for (const line of ['user: Weather in Paris?', '→ get_weather {"city":"Paris"}', 'It is sunny in Paris.'])
      assert.ok(
        lines.some((each) => each.includes(line)),
        line,
      );
    assert.equal(runs.find(({ name }) => name === 'get_time')?.error, 'no clock');
    const traced = await elsewhere();
    await put(traced, JSON.stringify({ ...trace, observations: data.slice(1), output: 'sunny' }));
    const tops = (await runsOf(traced)).filter(({ parent_run_id }) => !parent_run_id);
    assert.deepEqual(
      tops.map(({ name, outputs, tags }) => [name, outputs, tags]),
      [['t', { value: 'sunny' }, ['vip']]],
    );
  });

  it('from the SDK for JavaScript, with a span per line beside logs and metrics, are imported', async () => {
    const text = await readFile(new URL('sdk-spans.jsonl', files), 'utf8');
    const { traceId, spanId } = z
      .looseObject({ traceId: z.string(), spanId: z.string() })
      .parse(JSON.parse(text.split('\n', 1)[0] ?? ''));
    const log = {
      hrTime: [1_795_892_089, 5],
      spanContext: { traceId, spanId },
      _eventName: 'gen_ai.choice',
      _body: { message: { content: 'logged' } },
      attributes: {},
    };
    const others = [log, { hrTime: [1, 2], _body: 'a line' }, { resource: {}, scopeMetrics: [] }];
    const client = await elsewhere();
    const { spans, refused } = await put(
      client,
      `${text}${others.map((one) => JSON.stringify(one)).join('\n')}\n`,
    );
    const again = await elsewhere();
    await put(again, await readFile(new URL('vercel-ai-7.json', recorded), 'utf8'));
    const said = (runs: Awaited<ReturnType<typeof runsOf>>) =>
      runs.map(({ id, name, inputs, outputs, total_tokens, run_type }) => ({
        id,
        name,
        inputs,
        outputs,
        total_tokens,
        run_type,
      }));
    assert.deepEqual([spans, refused], [(await runsOf(again)).length, []]);
    assert.deepEqual(said(await runsOf(client)), said(await runsOf(again)));
    assert.match(JSON.stringify(await runsOf(client)), /logged/);
  });

  it('are counted without each run that the platform refuses', async () => {
    const run = (start_time: string) => {
      const id = randomUUID();
      return {
        id,
        trace_id: id,
        dotted_order: `20261121T090000000000Z${id}`,
        name: 'a',
        run_type: 'chain',
        start_time,
      };
    };
    const runs = [run('2026-11-21T09:00:00Z'), run('soon'), run('later')];
    const { spans, refused } = await put(await elsewhere(), JSON.stringify(runs));
    assert.deepEqual([spans, refused.length], [1, 2]);
  });

  it('are not sent at all when a line is wrong, and the error says which', () => {
    for (const [text, problem] of [
      ['{"resourceSpans":[]}\n{"x":1}', /^Line 2 contains no OTLP spans, LangSmith run/],
      ['{"resourceSpans":[]}\n{"x":', /^Line 2 is not valid JSON/],
      ['{\n  "resourceSpans": [],\n}', /^The file is not valid JSON: .*line 3/],
      [
        '[{"id":"1","run_type":"llm","start_time":"x"}]',
        /^The file is not a run with its place in a trace: trace_id/,
      ],
      ['{"id":"t","observations":[]}', /^The file is not what Langfuse exports: timestamp/],
      [
        '{"id":"o","traceId":"t","type":"SPAN","startTime":"soon"}',
        /startTime of the observation o is not a time: soon/,
      ],
      [`${'['.repeat(600)}${']'.repeat(600)}`, /nested more than 512 levels/],
      ['7', /^The file contains no OTLP spans/],
    ] as const)
      assert.throws(() => readTraceFile(text), { message: problem });
    assert.deepEqual(readTraceFile(''), { spans: [], logs: [], runs: [] });
    assert.deepEqual(readTraceFile('\uFEFF{"resourceSpans":[]}'), { spans: [], logs: [], runs: [] });
  });
});
