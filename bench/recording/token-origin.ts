import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export const TOKENS = 200;
const Asked = z.object({ pauseMs: z.number().nonnegative() });

/** The origin server of a model: it streams tokens, each in a separate chunk after a pause. */
export async function tokenOrigin(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const { pauseMs } = Asked.parse(await json(request));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (let token = 1; token <= TOKENS; token++) {
      if (pauseMs > 0) await sleep(pauseMs);
      response.write(`${JSON.stringify({ text: `token${token} ` })}\n`);
      await setImmediate();
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
