import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../src/server/http/port-of.ts';
import { asAnotherPlatform } from './another-platform.ts';

/** A proxy's treatment of a request. */
export type Fault =
  | { readonly kind: 'none' }
  /** Passes it on late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Answers itself. */
  | { readonly kind: 'failing'; readonly status: number };

/** An installation's gateway: a real HTTP proxy to a server, with faults of the network when a test wants them. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** The paths that were asked for. */
  readonly seen: string[];
  /** Of the requests that matter to a test; every other one is passed on. */
  inject(fault: Fault, isMeant?: (path: string) => boolean): void;
  /** Nothing listens at its address anymore, and clients are disconnected. */
  disconnect(): Promise<void>;
  /** Listens at the same address again. */
  reconnect(): Promise<void>;
}

export interface FaultProxyOptions {
  /** The paths that it passes on. */
  readonly serves?: RegExp;
  /** Changes JSON that passes, such as the addresses of what stands behind other proxies. */
  readonly rewrite?: (text: string) => string;
}

/**
 * A proxy as installations have it unless told otherwise: the platform is below `/api/v1`, the control plane below
 * `/api-host`, nothing is anywhere else, and the platform is not an Agent Harbor server.
 */
export async function faultProxy(
  target: string,
  { serves = /^\/api-host\/|^\/api\//, rewrite: rewriteAny }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const seen: string[] = [];
  let fault: Fault = { kind: 'none' };
  let isMeant = (_path: string): boolean => true;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '/';
    seen.push(path);
    if (!serves.test(path)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
      return;
    }
    if (isMeant(path) && fault.kind === 'failing') {
      response.writeHead(fault.status, { 'content-type': 'application/json' }).end('{"detail":"Injected."}');
      return;
    }
    if (isMeant(path) && fault.kind === 'slow') await delay(fault.ms);
    const rewrite = path.endsWith('/info') ? asAnotherPlatform : rewriteAny;
    const { host: _, 'accept-encoding': encodings, ...headers } = incoming.headers;
    if (rewrite === undefined && encodings !== undefined) headers['accept-encoding'] = encodings;
    const outgoing = request(new URL(path, target), { method: incoming.method, headers }, (answered) => {
      const isJson = answered.headers['content-type']?.startsWith('application/json') === true;
      if (rewrite === undefined || !isJson) {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
        return;
      }
      const { 'content-length': __, ...kept } = answered.headers;
      const rewritten = text(answered).then((body) => {
        response.writeHead(answered.statusCode ?? 502, kept).end(rewrite(body));
      });
      rewritten.catch(() => response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  };

  const server = createServer((incoming, response) => void answer(incoming, response));
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const disconnect = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen(0);
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    inject: (wanted, meant = () => true) => {
      fault = wanted;
      isMeant = meant;
    },
    disconnect,
    reconnect: () => listen(port),
    [Symbol.asyncDispose]: disconnect,
  };
}
