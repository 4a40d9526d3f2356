import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../logger.ts';
import type { DispatchOptions } from './dispatch.ts';
import { HttpError } from './errors.ts';
import type { UpgradeListener } from './origin.ts';
import { checkHost, checkOrigin } from './origin-policy.ts';
import type { Found } from './router.ts';
import { storageProblem } from './storage-problem.ts';

const PING_EVERY_MS = 20_000;
/** Close codes are this number plus the HTTP status, as the public SDK 1.15 expects. */
const CLOSE_CODE_BASE = 4_000;
/** RFC 6455, 5.5.1: a close frame holds 125 bytes, and the code takes two of them. */
const MAX_REASON_BYTES = 123;

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
      const { status, message } = error instanceof HttpError ? error : { status: 500, message: '' };
      socket.close(CLOSE_CODE_BASE + status, closeReason(message));
    }
  }

  return (request, socket, head) => {
    // A lost connection needs no answer, and `close` follows.
    socket.on('error', () => {});
    accept(request, socket, head).catch((error: unknown) => refuseUpgrade(socket, error, logger));
  };
}

/** Returns as much of a message as fits into a close frame, without a partial character at its end. */
function closeReason(message: string): string {
  return new TextDecoder().decode(Buffer.from(message).subarray(0, MAX_REASON_BYTES), { stream: true });
}

/**
 * Refuses a request for a WebSocket: sends an HTTP error, and ends the connection. Unexpected errors are logged, and
 * storage problems are explained to the client, as for plain requests.
 */
export function refuseUpgrade(socket: Duplex, error: unknown, logger: Logger): void {
  const known = error instanceof HttpError ? error : storageProblem(error);
  if (known === undefined) logger.error({ err: error }, 'websocket request failed');
  const { status, detail, headers } = known ?? new HttpError(500, 'Internal error.');
  const body = JSON.stringify({ detail });
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

/** Loads the library with the first socket, so that the server starts faster. */
async function webSocketServer(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({ noServer: true, maxPayload, clientTracking: false });
}

/** Pings the client, and ends the connection if no answer arrives before the next ping. */
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
