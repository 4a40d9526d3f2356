import http from 'node:http';
import type { Dispatcher } from 'undici';
import UndiciDispatcher from 'undici/lib/dispatcher/dispatcher.js';
import WrapHandler from 'undici/lib/handler/wrap-handler.js';

/**
 * Sends requests to a server on this machine over Node's own HTTP, without proxies and TLS. Compared to undici's
 * dispatcher, it needs a quarter of the processor time to load, and saves 10 MB while a command waits.
 */
export class LocalDispatcher extends UndiciDispatcher {
  readonly #agent = new http.Agent({ keepAlive: true });

  override dispatch(options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean {
    const handler = WrapHandler.wrap(given);
    const { origin, path, method, headers, body } = options;
    if (origin === undefined) throw new TypeError('A request needs an origin.');
    if (typeof body !== 'string' && body !== null && body !== undefined)
      throw new TypeError('The body of a request to this machine must be text.');
    if (Array.isArray(headers) || (headers != null && Symbol.iterator in headers))
      throw new TypeError('The headers of a request to this machine must be an object.');
    const request = http.request(new URL(path, origin), {
      agent: this.#agent,
      method,
      ...(headers && { headers }),
    });
    // Node sends the body of GET and DELETE without a length.
    if (typeof body === 'string') request.setHeader('content-length', Buffer.byteLength(body));
    const controller = new Controller(request);
    let isOver = false;
    const fail = (error: Error) => {
      if (isOver) return;
      isOver = true;
      handler.onResponseError?.(controller, controller.reason ?? inOtherWords(error));
    };
    request.on('error', fail);
    request.on('response', (response) => {
      controller.response = response;
      response.on('error', fail);
      handler.onResponseStart?.(
        controller,
        response.statusCode ?? 0,
        response.headers,
        response.statusMessage ?? '',
      );
      response.on('data', (chunk: Buffer) => handler.onResponseData?.(controller, chunk));
      response.on('end', () => {
        if (isOver) return;
        isOver = true;
        handler.onResponseEnd?.(controller, response.trailers);
      });
      // The pause was requested before the response arrived.
      if (controller.paused) response.pause();
    });
    handler.onRequestStart?.(controller, {});
    if (!controller.aborted) request.end(body ?? undefined);
    return true;
  }

  /** Ends at once, together with pending requests. */
  override async destroy(): Promise<void> {
    this.#agent.destroy();
  }

  override async close(): Promise<void> {
    await this.destroy();
  }
}

/** Rewords Node's errors "aborted" and "socket hang up" so that users understand them. */
function inOtherWords(error: Error): Error {
  if ('code' in error && error.code === 'ECONNRESET') error.message = 'other side closed';
  return error;
}

/** Pauses, resumes and aborts one request, for its handler. */
class Controller implements Dispatcher.DispatchController {
  readonly #request: http.ClientRequest;
  response: http.IncomingMessage | undefined;
  paused = false;
  reason: Error | null = null;

  constructor(request: http.ClientRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    this.reason ??= reason;
    this.#request.destroy(this.reason);
  }

  pause(): void {
    this.paused = true;
    this.response?.pause();
  }

  resume(): void {
    this.paused = false;
    this.response?.resume();
  }
}
