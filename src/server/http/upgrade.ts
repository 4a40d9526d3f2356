import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { DispatchOptions } from './dispatch.ts';
import { HttpError } from './errors.ts';
import type { UpgradeListener } from './origin.ts';
import { checkHost, checkOrigin } from './origin-policy.ts';
import type { Found } from './router.ts';

const PING_EVERY_MS = 20_000;
/** A close code with the HTTP status (public clients, 1.15). */
const CLOSE_CODE_BASE = 4_000;

/**
 * Makes the upgrade listener of one origin, which makes the same checks as for plain requests, then calls the
 * endpoint's handler with the socket.
 */
export function upgradeListener(options: DispatchOptions): UpgradeListener {
  const { router, logger } = options;
  let sockets: Promise<WebSocketServer> | undefined;

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (options.anyHostName !== true) checkHost(request.headers);
    const asked = request.url ?? '/';
    const url = options.route === undefined ? asked : options.route(asked);
    const found = url === undefined ? undefined : router.find('GET', url);
    if (found === undefined || found.route.endpoint.kind !== 'websocket')
      throw new HttpError(404, 'Not Found');
    const { endpoint } = found.route;
    checkOrigin(request.headers, endpoint.credentials, options.cors());
    const caller = await options.authenticate(request, endpoint);
    const params = endpoint.params?.safeParse(found.params);
    if (params?.success === false) throw new HttpError(422, 'The path is not valid.');
    const authorized = { params: params?.data, query: undefined, body: undefined, caller };
    await options.authorize?.(endpoint, authorized);
    sockets ??= webSocketServer(options.bodyLimit);
    (await sockets).handleUpgrade(request, socket, head, (opened) => {
      const call = { ...authorized, headers: request.headers, request };
      keepAlive(opened);
      const release = options.onRevoked?.(caller, () =>
        opened.close(CLOSE_CODE_BASE + 401, 'The API key was revoked, or its rights have changed.'),
      );
      if (release !== undefined) opened.once('close', release);
      void serve(found, call, opened);
    });
  }

  async function serve({ route }: Found, call: object, socket: WebSocket): Promise<void> {
    const handle = route.handle as (call: object, socket: WebSocket) => unknown;
    socket.on('error', (error) => logger.debug({ err: error }, 'websocket'));
    try {
      await handle(call, socket);
    } catch (error) {
      if (!(error instanceof HttpError)) logger.error({ err: error }, 'websocket failed');
      const status = error instanceof HttpError ? error.status : 500;
      socket.close(CLOSE_CODE_BASE + status, (error instanceof HttpError ? error.message : '').slice(0, 100));
    }
  }

  return (request, socket, head) => {
    socket.on('error', () => {});
    accept(request, socket, head).catch((error: unknown) => refuseUpgrade(socket, error));
  };
}

/** Answers a request for a WebSocket that is refused. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  const known = error instanceof HttpError ? error : new HttpError(500, 'Internal error.');
  const body = JSON.stringify({ detail: known.detail });
  socket.end(
    `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status] ?? ''}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** The library is loaded for the first socket, to start faster. */
async function webSocketServer(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({ noServer: true, maxPayload, clientTracking: false });
}

/** Detects peers that have disappeared. */
function keepAlive(socket: WebSocket): void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, PING_EVERY_MS).unref();
  socket.once('close', () => clearInterval(timer));
}
