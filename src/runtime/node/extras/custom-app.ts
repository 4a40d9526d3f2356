import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  HttpAppDescription,
  HttpCancelParams,
  HttpRequestParams,
  HttpResponseHead,
} from '../../protocol/protocol.ts';
import type { InProcessClient } from '../context/in-process-client.ts';
import type { RunContext } from '../context/run-context.ts';
import { GraphLoadError, ReturnValueError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { appPaths, appRoutes, isRoutedApp } from './app-routes.ts';
import type { Extras } from './extras.ts';
import { type AppRequest, bodyAfterMiddleware, shareParsedBodies } from './request-body.ts';

export interface CustomAppOptions {
  readonly extras: Extras;
  readonly connection: ServerConnection;
  readonly context: RunContext;
  readonly client: InProcessClient;
}

/**
 * Serves `http.app`: an object with `fetch(request)`, such as a Hono app. The app answers its own paths. Its
 * middleware also handles requests for the server's endpoints: those that no route of the app answers are
 * forwarded to the server.
 */
export class CustomApp {
  readonly #options: CustomAppOptions;
  readonly #running = new Map<string, AbortController>();
  readonly #answering = new AsyncLocalStorage<Answering>();

  constructor(options: CustomAppOptions) {
    this.#options = options;
  }

  /**
   * Loads the app and describes its routes, if they are known. From then on, the app forwards requests that
   * none of its routes answers.
   * @throws GraphLoadError when the app does not load
   */
  async describe(): Promise<HttpAppDescription> {
    const app = await this.#requireApp();
    if (!isRoutedApp(app)) return { routes: [] };
    const description = { routes: appRoutes(app), paths: appPaths(app) };
    await shareParsedBodies(app);
    app.all('*', ({ req }) => this.#passOn(req));
    return description;
  }

  /** Lets the app answer a request. The body of the response follows in notifications. */
  async request(params: HttpRequestParams): Promise<HttpResponseHead> {
    const app = await this.#requireApp();
    const { request_id, user, behind = false } = params;
    const controller = new AbortController();
    const body = params.body === null ? null : Buffer.from(params.body, 'base64');
    this.#running.set(request_id, controller);
    const request = new Request(params.url, {
      method: params.method,
      headers: params.headers,
      signal: controller.signal,
      ...(body === null || BODILESS.has(params.method) ? {} : { body }),
    });
    try {
      const initiator = user === undefined ? {} : { user };
      const response: unknown = await this.#options.context.within(initiator, () =>
        this.#answering.run({ behind, body }, () => app.fetch(request)),
      );
      if (!(response instanceof Response)) throw new ReturnValueError('http.app did not return a Response.');
      // The body follows the head, which is sent as the answer to this request.
      setImmediate(() => void this.#send(request_id, response, controller.signal));
      return { status: response.status, headers: [...response.headers] };
    } catch (error) {
      this.#running.delete(request_id);
      throw error;
    }
  }

  /** Tells the app that the client has gone. Requests that have ended are ignored. */
  cancel({ request_id }: HttpCancelParams): Record<never, never> {
    this.#running.get(request_id)?.abort();
    return {};
  }

  async #requireApp(): Promise<{ fetch(request: Request): unknown }> {
    const app = await this.#options.extras.load('http_app');
    if (!isApp(app))
      throw new GraphLoadError('http.app must be an object with fetch(request), such as a Hono app.');
    return app;
  }

  /**
   * Forwards to the server a request that no route of the app answers.
   * @returns the server's answer, which middleware may change; 404 if the server has no endpoint for it, so
   * the app's own `notFound` is not used
   */
  async #passOn(request: AppRequest): Promise<Response> {
    const { behind = false, body: sent = null } = this.#answering.getStore() ?? {};
    if (!behind) return Response.json({ detail: 'Not Found' }, { status: 404 });
    const answer = await this.#options.client.passOn(request.raw, await bodyAfterMiddleware(request, sent));
    const { body, status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers: withoutConnection(headers) });
  }

  /** Sends the body until it has ended or the client has disconnected. */
  async #send(request_id: string, { body }: Response, signal: AbortSignal): Promise<void> {
    const send = (data: string, done: boolean) =>
      this.#options.connection.notify('http.body', { request_id, data, done });
    try {
      if (body !== null) for await (const chunk of until(signal, body)) send(chunk.toString('base64'), false);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) console.error(error);
    } finally {
      this.#running.delete(request_id);
      send('', true);
    }
  }
}

/** The methods with which a `Request` cannot have a body. Clients may send one nevertheless, which is left out. */
const BODILESS = new Set(['GET', 'HEAD']);

/** The request that the app is answering. */
interface Answering {
  /** Whether the server has an endpoint for the request. */
  readonly behind: boolean;
  /** The original body. */
  readonly body: Buffer | null;
}

function isApp(app: unknown): app is { fetch(request: Request): unknown } {
  return isRecord(app) && typeof app.fetch === 'function';
}

/** Headers that describe the connection to the server, not the message. */
const CONNECTION_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

function withoutConnection(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of CONNECTION_HEADERS) kept.delete(name);
  return kept;
}

/** Yields the chunks of a stream until it ends. The signal cancels it. */
async function* until(signal: AbortSignal, stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = stream.getReader();
  // `cancel` only fails if the stream has failed, which `read` reports.
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield Buffer.from(value);
  }
}
