import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Credentials, Endpoint } from '../../contract/endpoint.ts';
import type { Logger } from '../logger.ts';
import { readJson } from './body.ts';
import type { Caller } from './caller.ts';
import { HttpError, validationIssues } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { CorsSettings } from './origin-policy.ts';
import { checkHost, checkOrigin, preflightHeaders } from './origin-policy.ts';
import { PendingReply, Reply, toJson } from './reply.ts';
import type { Found, Router } from './router.ts';
import { storageProblem } from './storage-problem.ts';

export interface DispatchOptions {
  readonly router: Router;
  readonly logger: Logger;
  /** Read at every request, because a deployment may change it while it is served. */
  cors(): CorsSettings;
  /** Additional fields of a request for its log line. */
  logged?(request: IncomingMessage): object;
  /** Bytes of a JSON body. */
  readonly bodyLimit: number;
  /** The path as the router knows it; undefined for one that is not served. */
  route?(url: string): string | undefined;
  /** Answers before an endpoint does; `false` when it leaves that to the endpoint. */
  first?(request: IncomingMessage, response: ServerResponse, endpoint: Endpoint): Promise<boolean>;
  /** Answers what no endpoint does; `false` when it has no answer either. */
  otherwise?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether the Host header may name anything, because every request needs a key. */
  readonly anyHostName?: boolean;
  /** Decides on a validated request, whose body and caller it may change. @throws HttpError */
  authorize?(endpoint: Endpoint, call: AuthorizedCall): Promise<void>;
  /** @throws HttpError 401 or 403. */
  authenticate(request: IncomingMessage, credentials: Credentials): Promise<Caller>;
  /** Closes long-lived connections when the caller's key is revoked. @returns unregisters it. */
  hold?(caller: Caller, end: () => void): () => void;
}

/** A validated request as authorization sees it. */
export interface AuthorizedCall {
  readonly params: unknown;
  readonly query: unknown;
  body: unknown;
  caller: Caller;
}

const KEEP_ALIVE_MS = 1_000;
const GOES_ON: readonly Endpoint['kind'][] = ['event-stream', 'raw'];

let requests = 0;
const boot = Date.now().toString(36);

/** Makes the request listener of one origin: Host and Origin checks, credentials, validation, handler, answer. */
export function dispatcher(options: DispatchOptions) {
  const { router, logger } = options;

  async function run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (options.anyHostName !== true) checkHost(request.headers);
    const asked = request.url ?? '/';
    const url = options.route === undefined ? asked : options.route(asked);
    if (request.method === 'OPTIONS') return preflight(request, response, url ?? '/');
    const found = url === undefined ? undefined : router.find(request.method ?? 'GET', url);
    if (found === undefined) {
      await unknown(request, response, url);
      return;
    }
    const { endpoint } = found.route;
    if (options.first !== undefined && (await options.first(request, response, endpoint))) return;
    for (const [name, value] of Object.entries(
      checkOrigin(request.headers, endpoint.credentials, options.cors()),
    )) {
      response.setHeader(name, value);
    }
    const caller = await options.authenticate(request, endpoint.credentials);
    if (GOES_ON.includes(endpoint.kind)) holdOpen(caller, response);
    let controller: AbortController | undefined;
    const call = {
      ...(await validate(request, found)),
      caller,
      headers: request.headers,
      request,
      // Created lazily, because most requests do not need it.
      get signal() {
        controller ??= abortWith(response);
        return controller.signal;
      },
    };
    await options.authorize?.(endpoint, call);
    await answer(found, call, response);
  }

  async function validate(request: IncomingMessage, found: Found) {
    const { endpoint } = found.route;
    const params = parse(endpoint.params, found.params, 'path');
    const query = parse(endpoint.query, found.query, 'query');
    const body =
      (endpoint.kind === 'json' || endpoint.kind === 'event-stream' || endpoint.kind === 'raw') &&
      endpoint.body !== undefined
        ? parse(endpoint.body, (await readJson(request, options.bodyLimit)) ?? {}, 'body')
        : undefined;
    return { params, query, body };
  }

  async function answer({ route }: Found, call: { caller: Caller }, response: ServerResponse): Promise<void> {
    const { endpoint } = route;
    const handle = route.handle as (call: object, output?: unknown) => unknown;
    switch (endpoint.kind) {
      case 'event-stream':
        await handle(call, (headers = {}) => new EventStream(response, headers));
        if (!response.headersSent) throw new Error(`${endpoint.path} opened no stream.`);
        return;
      case 'raw':
        response.setHeader('content-type', endpoint.contentType);
        await handle(call, response);
        return;
      case 'websocket':
        throw new HttpError(426, 'Connect to this path with a WebSocket.', { upgrade: 'websocket' });
      default: {
        const result = await handle(call);
        if (result instanceof PendingReply) holdOpen(call.caller, response);
        await sendValue(response, result, successStatus(endpoint));
      }
    }
  }

  function holdOpen(caller: Caller, response: ServerResponse): void {
    const release = options.hold?.(caller, () => response.destroy());
    if (release !== undefined) response.once('close', release);
  }

  function preflight(request: IncomingMessage, response: ServerResponse, url: string): void {
    const wanted = request.headers['access-control-request-method'] ?? 'GET';
    const credentials = router.find(wanted, url)?.route.endpoint.credentials ?? 'none';
    const headers = checkOrigin(request.headers, credentials, options.cors());
    response.writeHead(204, { ...headers, ...preflightHeaders(request.headers, options.cors()) }).end();
  }

  async function unknown(request: IncomingMessage, response: ServerResponse, url: string | undefined) {
    if (options.otherwise !== undefined) {
      const headers = checkOrigin(request.headers, 'deployment', options.cors());
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (await options.otherwise(request, response)) return;
    }
    throw missing(url);
  }

  function missing(url: string | undefined): HttpError {
    const allowed = url === undefined ? [] : router.allowedMethods(url);
    if (allowed.length === 0) return new HttpError(404, 'Not Found');
    return new HttpError(405, `Use ${allowed.join(' or ')}.`, { allow: allowed.join(', ') });
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = `${boot}-${(requests++).toString(36)}`;
    response.setHeader('x-request-id', requestId);
    const started = performance.now();
    try {
      await run(request, response);
    } catch (error) {
      sendError(request, response, error, requestId);
    }
    logger.debug(
      {
        requestId,
        method: request.method,
        path: pathOf(request),
        status: response.statusCode,
        ms: Math.round(performance.now() - started),
        ...options.logged?.(request),
      },
      'request',
    );
  };

  function sendError(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    requestId: string,
  ): void {
    const known = error instanceof HttpError ? error : storageProblem(error);
    if (known === undefined) {
      logger.error(
        { requestId, method: request.method, path: pathOf(request), err: error },
        'request failed',
      );
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const status = known?.status ?? 500;
    const detail = known?.detail ?? `Internal error. See request ${requestId} in the server's log.`;
    for (const [name, value] of Object.entries(known?.headers ?? {})) response.setHeader(name, value);
    const code = known?.code === undefined ? {} : { error: known.code };
    send(response, status, JSON.stringify({ ...errorBody(detail), ...code }));
    // The rest of the body is not read, and must not block the connection.
    if (!request.complete) request.resume();
  }
}

/** The failed checks, also as a sentence, because the public SDKs show text. */
function errorBody(detail: HttpError['detail']): object {
  return typeof detail === 'string' ? { detail } : { detail, message: new HttpError(422, detail).message };
}

function parse(schema: z.ZodType | undefined, value: unknown, source: 'body' | 'query' | 'path'): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new HttpError(422, validationIssues(result.error, source));
}

function successStatus(endpoint: Extract<Endpoint, { kind: 'json' | 'multipart' }>): number {
  return Number(Object.keys(endpoint.responses)[0] ?? 200);
}

async function sendValue(response: ServerResponse, result: unknown, status: number): Promise<void> {
  if (result instanceof PendingReply) return sendPending(response, result);
  const reply = result instanceof Reply ? result : new Reply(result);
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  const chosen = reply.status ?? status;
  if (reply.value === undefined) response.writeHead(chosen).end();
  else send(response, chosen, toJson(reply.value));
}

async function sendPending(response: ServerResponse, pending: PendingReply): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', ...pending.headers });
  response.flushHeaders();
  const alive = setInterval(() => response.write('\n'), KEEP_ALIVE_MS);
  try {
    response.end(toJson(await pending.value));
  } finally {
    clearInterval(alive);
  }
}

function send(response: ServerResponse, status: number, json: string): void {
  // As text it is sent in one chunk with the headers.
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
    .end(json);
}

function abortWith(response: ServerResponse): AbortController {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
  return controller;
}

/** The path without its query, which may hold what a log must not. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
