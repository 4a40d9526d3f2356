import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../src/server/http/port-of.ts';

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (
  request: SeenRequest,
  response: ServerResponse,
  /** How many requests came before it. */
  count: number,
) => void | Promise<void>;

/** A bare HTTP server that records requests and answers as a test defines: the other side of a client. */
export interface HttpPeer extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenRequest[];
}

export async function httpPeer(answer: Answer): Promise<HttpPeer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: await text(incoming),
    };
    seen.push(request);
    await answer(request, response, seen.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
