import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../../src/server/http/port-of.ts';

/** How spans are to be sent; Python's SDK needs every entry. */
const BATCHES = {
  use_multipart_endpoint: true,
  size_limit: 100,
  size_limit_bytes: 20_971_520,
  scale_up_qsize_trigger: 1_000,
  scale_up_nthreads_limit: 16,
  scale_down_nempty_trigger: 4,
};

/** Receives what the `langsmith` SDK sends, as text. */
export async function receiveTraces(): Promise<{ server: Server; endpoint: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') received.push(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ batch_ingest_config: BATCHES }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  return { server, endpoint: `http://127.0.0.1:${port}`, received };
}

/** The environment of a runtime whose spans go there. */
export const tracedTo = (endpoint: string) => ({
  LANGSMITH_TRACING: 'true',
  LANGSMITH_ENDPOINT: endpoint,
  LANGSMITH_API_KEY: 'key',
  LANGSMITH_PROJECT: 'harbor',
});
