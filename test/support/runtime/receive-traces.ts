import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../../src/server/http/port-of.ts';

/** Takes what the `langsmith` SDK sends, as text. */
export async function receiveTraces(): Promise<{ server: Server; endpoint: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') received.push(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ batch_ingest_config: { use_multipart_endpoint: true } }));
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
