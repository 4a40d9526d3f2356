import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { receiveTraces, tracedTo } from '../../../support/runtime/receive-traces.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';
import { eventually } from '../../../support/wait.ts';

interface Span {
  readonly id?: string;
  readonly trace_id?: string;
  readonly parent_run_id?: string;
  readonly name?: string;
  readonly session_name?: string;
}

/** The spans, and the changes of spans, as JSON. */
function spansIn(received: readonly string[]): string[] {
  return received
    .join('\n')
    .split('\n')
    .filter((part) => part.startsWith('{'));
}

const SentSpan = z.object({ id: z.string(), name: z.string().optional(), end_time: z.unknown().optional() });

/** The names of the spans that have begun and not ended. */
function openSpans(received: readonly string[]): string[] {
  const begun = new Map<string, string>();
  const ended = new Set<string>();
  for (const part of spansIn(received)) {
    const span = SentSpan.safeParse(JSON.parse(part)).data;
    if (span === undefined) continue;
    if (span.end_time != null) ended.add(span.id);
    if (!begun.has(span.id)) begun.set(span.id, span.name ?? 'unnamed');
  }
  assert.ok(begun.size > 0);
  return [...begun].flatMap(([id, name]) => (ended.has(id) ? [] : [name]));
}

/** How often each span was sent with an end, and the number of different ends. */
function endsOf(received: readonly string[]): { sent: number; different: number }[] {
  const ends = new Map<string, unknown[]>();
  for (const part of spansIn(received)) {
    const span = SentSpan.safeParse(JSON.parse(part)).data;
    if (span?.end_time != null) ends.set(span.id, [...(ends.get(span.id) ?? []), span.end_time]);
  }
  return [...ends.values()].map((all) => ({ sent: all.length, different: new Set(all).size }));
}

/** Cancels a run when its node says that it has begun. */
async function cancelWhenBegun(host: RuntimeHost, graph: string, mode: 'values' | 'events'): Promise<void> {
  const run_id = randomUUID();
  const run = await host.run(
    graph,
    {},
    {
      run_id,
      stream_modes: [mode, 'custom'],
      stream_subgraphs: true,
      onEvent: (name) => {
        if (name.startsWith('custom')) void host.connection.request('run.cancel', { run_id });
      },
    },
  );
  assert.equal(run.status, 'cancelled');
}

const GRAPHS = `
import { RunnableLambda } from '@langchain/core/runnables';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation() });
export const long = new StateGraph(State)
  .addNode('step', ({ steps }) => ({ steps: steps - 1 }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ steps }) => (steps > 0 ? 'step' : END))
  .compile();
export const caused = new StateGraph(State)
  .addNode('ask', () => {
    throw new Error('The weather is not known.', { cause: new TypeError('fetch failed', { cause: 'ECONNREFUSED' }) });
  })
  .addEdge(START, 'ask')
  .compile();
const block = (_, { writer }) => {
  writer('began');
  const until = Date.now() + 300;
  while (Date.now() < until);
  return { steps: 1 };
};
export const made = () => { throw new RangeError('There is no harbor.'); };
export const blocks = new StateGraph(State)
  .addNode('block', block)
  .addNode('rest', async (_, { signal }) => {
    while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    return {};
  })
  .addEdge(START, 'block')
  .addEdge('block', 'rest')
  .compile();
export const within = new StateGraph(State).addNode('inner', blocks).addEdge(START, 'inner').compile();
const late = RunnableLambda.from(
  ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 100, 'reported late'))),
).withConfig({ runName: 'late' });
const never = RunnableLambda.from(() => new Promise(() => {})).withConfig({ runName: 'never' });
const anotherSignal = () => ({ signal: new AbortController().signal });
export const ignores = new StateGraph(State)
  .addNode('ignore', async (_, { signal, writer }) => {
    const both = Promise.all([late.invoke({ signal }, anotherSignal()), never.invoke({}, anotherSignal())]);
    writer('began');
    await both;
  })
  .addEdge(START, 'ignore')
  .compile();`;

for (const line of langgraphLines) {
  describe(`the trace of a run on ${line}`, () => {
    let project: GraphProject;
    let traces: Awaited<ReturnType<typeof receiveTraces>>;

    before(async () => {
      project = await graphProject({ line, files: { 'traced.mjs': GRAPHS } });
      for (const name of ['long', 'caused', 'made', 'blocks', 'within', 'ignores'])
        project.graphs[name] = { path: `./traced.mjs:${name}` };
      traces = await receiveTraces();
    });
    beforeEach(() => {
      traces.received.length = 0;
    });
    after(async () => {
      traces.server.close();
      await project[Symbol.asyncDispose]();
    });

    it('has the run’s id and the graph’s name, and is sent before the runtime ends', async () => {
      await using host = new RuntimeHost({
        project,
        env: tracedTo(traces.endpoint),
      });
      await host.initialize('one_node');
      const run = await host.run('one_node', { value: 1 });
      const elsewhere = await host.run('one_node', { value: 1 }, { tracer: { project_name: 'another' } });
      await host.connection.request('shutdown', {});
      await host.exited;
      const spans = spansIn(traces.received);
      const roots = spans
        .map((part): Span => JSON.parse(part))
        .filter(({ parent_run_id, id }) => id !== undefined && parent_run_id === undefined);
      const rootOf = (id: string) => roots.find((root) => root.id === id);
      assert.equal(rootOf(run.runId)?.trace_id, run.runId);
      assert.equal(rootOf(run.runId)?.name, 'one_node');
      assert.equal(rootOf(run.runId)?.session_name, 'harbor');
      assert.equal(rootOf(elsewhere.runId)?.session_name, 'another');
      assert.ok(spans.some((part) => part.includes('"langgraph_node":"add"')));
    });

    it('is whole for a run of many steps, and for one with a thousand entries of metadata', async () => {
      await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
      await host.initialize('long', 'one_node');
      const long = await host.run('long', { steps: 300 }, { config: { recursion_limit: 2_000 } });
      const metadata = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key${n}`, `value${n}`]));
      await host.run('one_node', { value: 1 }, { config: { metadata } });
      await eventually('every step is sent', () => {
        const spans = spansIn(traces.received).map((part): Span => JSON.parse(part));
        const steps = spans.filter(({ parent_run_id }) => parent_run_id === long.runId);
        return new Set(steps.map(({ id }) => id)).size >= 300;
      });
      // The root and the node, each with its end.
      await eventually('every entry is on every span', () => {
        const sent = traces.received.join('\n');
        return Object.keys(metadata).every((key) => sent.split(`"${key}":`).length > 2);
      });
    });

    for (const mode of ['values', 'events'] as const) {
      it(`has an end for every span of a canceled run whose code blocks, streamed as ${mode}`, async () => {
        await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
        await host.initialize('blocks', 'within');
        for (const graph of ['blocks', 'within']) await cancelWhenBegun(host, graph, mode);
        await host.connection.request('shutdown', {});
        await host.exited;
        assert.deepEqual(openSpans(traces.received), []);
        for (const ends of endsOf(traces.received)) assert.deepEqual(ends, { sent: 1, different: 1 });
      });
    }

    it('has an end for every span of code that ignores the cancellation, even if the code reports more later', async () => {
      await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
      await host.initialize('ignores');
      await cancelWhenBegun(host, 'ignores', 'values');
      const sent = () => traces.received.join('\n');
      await eventually('the late report is sent', () => sent().includes('reported late'));
      await host.connection.request('shutdown', {});
      await host.exited;
      assert.deepEqual(openSpans(traces.received), []);
      for (const { different } of endsOf(traces.received)) assert.equal(different, 1);
      for (const name of ['late', 'never']) assert.match(sent(), new RegExp(`"name":"${name}"`));
      assert.match(sent(), /interrupted: the run ended before this did\./);
      assert.doesNotMatch(host.output + host.errorOutput, /run to end|Error in handler/);
    });

    it('contains the cause of an error, as does the log', async () => {
      await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
      await host.initialize('caused', 'made');
      const run = await host.run('caused', {});
      assert.deepEqual([run.error?.name, run.error?.message], ['Error', 'The weather is not known.']);
      const causes = /not known\.[\s\S]*Caused by: TypeError: fetch failed[\s\S]*Caused by: ECONNREFUSED/;
      for (const text of [run.error?.stack, host.logs[0]?.message]) assert.match(text ?? '', causes);
      await host.connection.request('shutdown', {});
      await host.exited;
      assert.match(traces.received.join('\n'), causes);
    });

    it('has the error of a factory, and where it was thrown', async () => {
      await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
      await host.initialize('made');
      const run = await host.run('made', { steps: 1 });
      assert.equal(run.error?.message, 'There is no harbor.');
      await host.connection.request('shutdown', {});
      await host.exited;
      const spans = spansIn(traces.received).map((part): Span => JSON.parse(part));
      assert.deepEqual(
        spans.filter(({ name }) => name !== undefined).map(({ id, trace_id, name }) => [id, trace_id, name]),
        [[run.runId, run.runId, 'made']],
      );
      assert.match(traces.received.join('\n'), /There is no harbor\.[^"]*traced\.mjs:\d+:\d+/);
      assert.deepEqual(openSpans(traces.received), []);
    });
  });
}
