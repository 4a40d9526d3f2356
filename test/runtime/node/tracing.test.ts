import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type GraphProject, graphProject, langgraphLines } from '../../support/projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { eventually } from '../../support/wait.ts';

/** Takes what the `langsmith` SDK sends, as text. */
async function receiveTraces(): Promise<{ server: Server; endpoint: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') received.push(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ batch_ingest_config: { use_multipart_endpoint: true } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, endpoint: `http://127.0.0.1:${port}`, received };
}

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

const tracedTo = (endpoint: string) => ({
  LANGSMITH_TRACING: 'true',
  LANGSMITH_ENDPOINT: endpoint,
  LANGSMITH_API_KEY: 'key',
  LANGSMITH_PROJECT: 'harbor',
});

const GRAPHS = `
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
  .compile();`;

for (const line of langgraphLines) {
  describe(`the trace of a run on ${line}`, () => {
    let project: GraphProject;
    let traces: Awaited<ReturnType<typeof receiveTraces>>;

    before(async () => {
      project = await graphProject({ line, files: { 'traced.mjs': GRAPHS } });
      for (const name of ['long', 'caused']) project.graphs[name] = { path: `./traced.mjs:${name}` };
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
      // The root, the node, and what each ended with.
      await eventually('every entry is on every span', () => {
        const sent = traces.received.join('\n');
        return Object.keys(metadata).every((key) => sent.split(`"${key}":`).length > 2);
      });
    });

    it('contains the cause of an error, as does the log', async () => {
      await using host = new RuntimeHost({ project, env: tracedTo(traces.endpoint) });
      await host.initialize('caused');
      const run = await host.run('caused', {});
      assert.deepEqual([run.error?.name, run.error?.message], ['Error', 'The weather is not known.']);
      const causes = /not known\.[\s\S]*Caused by: TypeError: fetch failed[\s\S]*Caused by: ECONNREFUSED/;
      for (const text of [run.error?.stack, host.logs[0]?.message]) assert.match(text ?? '', causes);
      await host.connection.request('shutdown', {});
      await host.exited;
      assert.match(traces.received.join('\n'), causes);
    });
  });
}
