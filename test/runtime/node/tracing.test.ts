import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type GraphProject, graphProject, langgraphLines } from '../../support/projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';

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

for (const line of langgraphLines) {
  describe(`the trace of a run on ${line}`, () => {
    let project: GraphProject;
    let traces: Awaited<ReturnType<typeof receiveTraces>>;

    before(async () => {
      project = await graphProject({ line });
      traces = await receiveTraces();
    });
    after(async () => {
      traces.server.close();
      await project[Symbol.asyncDispose]();
    });

    it('has the run’s id and the graph’s name, and is sent before the runtime ends', async () => {
      await using host = new RuntimeHost({
        project,
        env: {
          LANGSMITH_TRACING: 'true',
          LANGSMITH_ENDPOINT: traces.endpoint,
          LANGSMITH_API_KEY: 'key',
          LANGSMITH_PROJECT: 'harbor',
        },
      });
      await host.initialize('one_node');
      const run = await host.run('one_node', { value: 1 });
      const elsewhere = await host.run('one_node', { value: 1 }, { tracer: { project_name: 'another' } });
      await host.connection.request('shutdown', {});
      await host.exited;
      const spans = traces.received
        .join('\n')
        .split('\n')
        .filter((part) => part.startsWith('{'));
      const roots = spans
        .map((part): Record<string, unknown> => JSON.parse(part))
        .filter(({ parent_run_id, id }) => id !== undefined && parent_run_id === undefined);
      const rootOf = (id: string) => roots.find((root) => root.id === id);
      assert.equal(rootOf(run.runId)?.trace_id, run.runId);
      assert.equal(rootOf(run.runId)?.name, 'one_node');
      assert.equal(rootOf(run.runId)?.session_name, 'harbor');
      assert.equal(rootOf(elsewhere.runId)?.session_name, 'another');
      assert.ok(spans.some((part) => part.includes('"langgraph_node":"add"')));
    });
  });
}
