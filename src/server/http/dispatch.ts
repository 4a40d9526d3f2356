import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access, Endpoint, JsonEndpoint, MultipartEndpoint } from '../../contract/endpoint.ts';
import type { Logger } from '../logger.ts';
import type { Caller } from './caller.ts';
import { HttpError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import type { CorsSettings } from './origin-policy.ts';
import { allowOrigin, checkHost, checkOrigin, preflightHeaders } from './origin-policy.ts';
import { readCall } from './read-call.ts';
import { PendingReply, Reply } from './reply.ts';
import { pathOf } from './request-path.ts';
import type { Found, Router } from './router.ts';
import { sendError } from './send-error.ts';
import { sendResponse, successStatus } from './send-response.ts';

export interface DispatchOptions {
  readonly router: Router;
  readonly logger: Logger;
  /**
   * The CORS settings. They are read at every request, because a deployment may change them while it is
   * served.
   */
  cors(): CorsSettings;
  /** Additional fields for the log line of a request. */
  logged?(request: IncomingMessage): object;
  /**
   * Called with the duration of a request that did not wait for anything else, such as a run.
   * @param status its class, such as `2xx`.
   */
  observe?(seconds: number, status: string): void;
  /** The maximum bytes of a JSON body. */
  readonly bodyLimit: number;
  /** The path for the router; undefined for a path that is not served. */
  route?(url: string): string | undefined;
  /** Waits until the router is complete, for a request without a known endpoint. @throws HttpError */
  complete?(): Promise<void>;
  /** May answer before an endpoint does; `false` leaves the request to the endpoint. */
  first?(request: IncomingMessage, response: ServerResponse, endpoint: Endpoint): Promise<boolean>;
  /** Answers requests that no endpoint answers; `false` when it has no answer either. */
  otherwise?(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether any Host header is accepted, because every request needs a key. */
  readonly anyHostName?: boolean;
  /** Decides on a validated request, which it may change. @throws HttpError */
  authorize?(endpoint: Endpoint, call: ValidatedCall): Promise<void>;
  /** Identifies the caller, and checks their rights. @throws HttpError 401 or 403. */
  authenticate(request: IncomingMessage, access: Access): Promise<Caller>;
  /**
   * Stores that an audited request is about to be carried out.
   * @returns a function that stores how it ended; undefined if the request is not audited.
   */
  audit?(endpoint: Endpoint, call: ValidatedCall): Promise<AuditedEnd | undefined>;
  /**
   * Calls `end`, which closes a long-lived connection, when the caller's key is revoked or loses rights.
   * @returns a function that unregisters `end`.
   */
  onRevoked?(caller: Caller, end: () => void): () => void;
}

/** Stores how an audited request ended: its status, and the answer when it was a success. Never fails. */
export type AuditedEnd = (status: number, result?: unknown) => Promise<void>;

/** A validated request, as the audit log and authorization see it. Authorization may change it. */
export interface ValidatedCall {
  params: unknown;
  query: unknown;
  body: unknown;
  caller: Caller;
}

/** The kinds of endpoints whose responses may stay open. They are closed if the caller's key is revoked. */
const LONG_LIVED: readonly Endpoint['kind'][] = ['event-stream', 'raw'];

let requests = 0;
/** The beginning of request IDs, so that the IDs in a log differ between starts of the server. */
const startId = Date.now().toString(36);

/** Makes the request listener of one origin, which answers every request and logs it. */
export function dispatcher(options: DispatchOptions) {
  const { logger } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = `${startId}-${(requests++).toString(36)}`;
    response.setHeader('x-request-id', requestId);
    const started = performance.now();
    let waits = false;
    try {
      waits = await answer(options, request, response);
    } catch (error) {
      sendError(request, response, { error, requestId, logger });
    }
    const ms = performance.now() - started;
    if (!waits) options.observe?.(ms / 1_000, `${String(response.statusCode).charAt(0)}xx`);
    logger.debug(
      {
        requestId,
        method: request.method,
        path: pathOf(request),
        status: response.statusCode,
        ms: Math.round(ms),
        ...options.logged?.(request),
      },
      'request',
    );
  };
}

/**
 * Answers a request: Host and Origin checks, credentials, validation, handler, response.
 * @returns whether the response waited, or may have waited, for something else: for a run, or in the
 * project's own app.
 * @throws HttpError
 */
async function answer(
  options: DispatchOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (options.anyHostName !== true) checkHost(request.headers);
  const asked = request.url ?? '/';
  const url = options.route === undefined ? asked : options.route(asked);
  if (request.method === 'OPTIONS') {
    await preflight(options, request, response, url ?? '/');
    return false;
  }
  const found = url === undefined ? undefined : await findEndpoint(options, request.method ?? 'GET', url);
  if (found === undefined) {
    await answerUnknown(options, request, response, url);
    return true;
  }
  const { endpoint } = found.route;
  if (options.first !== undefined && (await options.first(request, response, endpoint))) return true;
  allowOrigin(request, response, endpoint.credentials, options.cors());
  const caller = await options.authenticate(request, endpoint);
  if (LONG_LIVED.includes(endpoint.kind)) closeWhenRevoked(options, caller, response);
  let controller: AbortController | undefined;
  const call = {
    ...(await readCall(request, found, options.bodyLimit)),
    caller,
    headers: request.headers,
    request,
    // The controller is created lazily, because most requests do not need it.
    get signal() {
      controller ??= abortWith(response);
      return controller.signal;
    },
  };
  await options.authorize?.(endpoint, call);
  return callHandler(options, found, call, response);
}

async function callHandler(
  options: DispatchOptions,
  { route }: Found,
  call: ValidatedCall,
  response: ServerResponse,
): Promise<boolean> {
  const { endpoint } = route;
  const handle = route.handle as (call: object, output?: unknown) => unknown;
  switch (endpoint.kind) {
    case 'event-stream':
      await handle(call, (headers = {}) => new EventStream(response, headers));
      if (!response.headersSent) throw new Error(`${endpoint.path} opened no stream.`);
      return true;
    case 'raw':
      response.setHeader('content-type', endpoint.contentType);
      await handle(call, response);
      return true;
    case 'websocket':
      throw new HttpError(426, 'Connect to this path with a WebSocket.', { upgrade: 'websocket' });
    default: {
      const result = await audited(options, endpoint, call, () => handle(call));
      const waits = result instanceof PendingReply;
      if (waits) closeWhenRevoked(options, call.caller, response);
      await sendResponse(response, result, endpoint);
      return waits;
    }
  }
}

/** Carries out a request, between the two entries of the audit log if it is audited. */
async function audited(
  options: DispatchOptions,
  endpoint: JsonEndpoint | MultipartEndpoint,
  call: ValidatedCall,
  work: () => unknown,
): Promise<unknown> {
  const ended = await options.audit?.(endpoint, call);
  if (ended === undefined) return work();
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    await ended(error instanceof HttpError ? error.status : 500);
    throw error;
  }
  const { value, status } = result instanceof Reply ? result : { value: result, status: undefined };
  await ended(status ?? successStatus(endpoint), value);
  return result;
}

function closeWhenRevoked(options: DispatchOptions, caller: Caller, response: ServerResponse): void {
  const release = options.onRevoked?.(caller, () => response.destroy());
  if (release !== undefined) response.once('close', release);
}

/** Finds the endpoint of a request; if none is mounted yet, waits until the router is complete. */
async function findEndpoint(
  { router, complete }: DispatchOptions,
  method: string,
  url: string,
): Promise<Found | undefined> {
  const found = router.find(method, url);
  if (found !== undefined || complete === undefined) return found;
  await complete();
  return router.find(method, url);
}

async function preflight(
  options: DispatchOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const wanted = request.headers['access-control-request-method'] ?? 'GET';
  const credentials = (await findEndpoint(options, wanted, url))?.route.endpoint.credentials ?? 'none';
  const headers = checkOrigin(request.headers, credentials, options.cors());
  response.writeHead(204, { ...headers, ...preflightHeaders(request.headers, options.cors()) }).end();
}

/** Answers a request for an unknown path or method. @throws HttpError 404 or 405 */
async function answerUnknown(
  options: DispatchOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: string | undefined,
): Promise<void> {
  if (options.otherwise !== undefined) {
    allowOrigin(request, response, 'deployment', options.cors());
    if (await options.otherwise(request, response)) return;
  }
  throw unknownPath(options.router, url);
}

function unknownPath(router: Router, url: string | undefined): HttpError {
  const allowed = url === undefined ? [] : router.allowedMethods(url);
  if (allowed.length === 0) return new HttpError(404, 'Not Found');
  return new HttpError(405, `Use ${allowed.join(' or ')}.`, { allow: allowed.join(', ') });
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
