import {
  request as ask,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileSystemCode } from '../../../process/error-codes.ts';
import { settled } from '../../../process/settled.ts';
import { HttpError } from '../../http/errors.ts';

/** The server in a container, to which requests are forwarded. */
export interface Backend {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** The key that is sent as `x-api-key`. */
  readonly key: string;
}

/** The error when the container has stopped during a request. */
const GONE = 'The container of this deployment stopped unexpectedly. Try again.';

/** The server could not be reached, and has not received any part of the request. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError';
}

/** Headers about the connection, which are not forwarded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Forwards a request and streams the response back.
 * @throws NotReachedError if the backend received nothing, so that the request can be sent to another one; HttpError 503
 * if it does not respond.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  backend: Backend,
): Promise<void> {
  // The client may have disconnected while the container started; its `close` is not emitted again.
  if (response.destroyed) return;
  const outgoing = send(request, backend, forwardedHeaders(request, backend));
  const cancel = () => void outgoing.destroy();
  response.once('close', cancel);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  // `pipeline()` would close the client's connection when the server closes its own.
  whenConnected(outgoing, () => request.pipe(outgoing));
  // A later disconnect is handled elsewhere: by the pipeline below, or by the code that sends the request to another
  // container.
  const answer = await answered.finally(() => response.off('close', cancel)).catch(throwBackendError);
  if (response.destroyed) return cancel();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    if (values !== undefined && !isHopByHop(name, answer.headers)) response.setHeader(name, values);
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage);
  // The headers are sent at once, because the body of a stream may begin much later.
  response.flushHeaders();
  // A response that breaks off must not look complete.
  await pipeline(answer, response).catch(() => response.destroy());
}

/**
 * Forwards a WebSocket request, and then the data in both directions. Resolves when both connections have closed.
 * @throws the errors of `forwardRequest`.
 */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  backend: Backend,
): Promise<void> {
  // If the client has already disconnected, `close` is not emitted again.
  if (socket.destroyed) return;
  const { upgrade = 'websocket' } = request.headers;
  const outgoing = send(request, backend, {
    ...forwardedHeaders(request, backend),
    connection: 'Upgrade',
    upgrade,
  });
  const cancel = () => outgoing.destroy();
  socket.once('close', cancel);
  const answered = new Promise<{ answer: IncomingMessage; other?: Duplex; rest?: Buffer }>(
    (resolve, reject) => {
      outgoing.once('upgrade', (answer, other, rest) => resolve({ answer, other, rest }));
      outgoing.once('response', (answer) => resolve({ answer }));
      outgoing.once('error', reject);
    },
  );
  outgoing.end();
  const { answer, other, rest } = await answered.catch((error: unknown) => {
    socket.off('close', cancel);
    return throwBackendError(error);
  });
  if (socket.destroyed) {
    other?.destroy();
    return;
  }
  socket.write(headOf(answer, other !== undefined));
  if (other === undefined) {
    // The backend refused the upgrade, so its response is all there is.
    await pipeline(answer, socket).catch(() => socket.destroy());
    return;
  }
  if (rest !== undefined && rest.length > 0) socket.write(rest);
  if (head.length > 0) other.write(head);
  const both = [pipeline(socket, other), pipeline(other, socket)];
  await settled(Promise.all(both));
  socket.destroy();
  other.destroy();
}

function send(request: IncomingMessage, { port }: Backend, headers: IncomingHttpHeaders): ClientRequest {
  const { method, url: path } = request;
  // Each request gets a new connection, because a reused one may be about to be closed.
  return ask({ host: '127.0.0.1', port, method, path, headers, agent: false, setHost: false });
}

function whenConnected(outgoing: ClientRequest, begin: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', begin);
    else begin();
  });
}

/**
 * Throws the error of a request that got no response: NotReachedError if the backend received nothing, else a
 * 503.
 */
function throwBackendError(error: unknown): never {
  throw fileSystemCode(error) === 'ECONNREFUSED' ? new NotReachedError(GONE) : new HttpError(503, GONE);
}

/** The headers to forward: the backend's key replaces the key of the caller. */
function forwardedHeaders({ headers, socket }: IncomingMessage, { key }: Backend): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => !isHopByHop(name, headers) && !isCredential(name, headers),
  );
  const before = headers['x-forwarded-for'];
  const from = socket.remoteAddress ?? '';
  return {
    ...Object.fromEntries(kept),
    'x-api-key': key,
    'x-forwarded-for': before === undefined ? from : `${String(before)}, ${from}`,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host,
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
  };
}

/**
 * Whether a header has the caller's key. If the request also has an API key, its bearer token is for the
 * project's own `auth`.
 */
function isCredential(name: string, headers: IncomingHttpHeaders): boolean {
  return name === 'x-api-key' || (name === 'authorization' && !hasApiKey(headers));
}

/** Whether a request has an API key. If the header is empty, the request was accepted because of its bearer token. */
function hasApiKey(headers: IncomingHttpHeaders): boolean {
  return /[^\s,]/.test(String(headers['x-api-key'] ?? ''));
}

function isHopByHop(name: string, { connection }: IncomingHttpHeaders): boolean {
  if (HOP_BY_HOP.has(name)) return true;
  return (
    connection
      ?.toLowerCase()
      .split(/\s*,\s*/)
      .includes(name) ?? false
  );
}

/** The status line and headers of an answer in the wire format. */
function headOf(
  { statusCode, statusMessage, headersDistinct, headers }: IncomingMessage,
  isUpgrade: boolean,
): string {
  const lines = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    isUpgrade || !isHopByHop(name, headers) ? values.map((value) => `${name}: ${value}`) : [],
  );
  if (!isUpgrade) lines.push('connection: close');
  return `HTTP/1.1 ${statusCode ?? 502} ${statusMessage ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`;
}
