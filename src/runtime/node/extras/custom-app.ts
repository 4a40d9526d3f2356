import type { HttpCancelParams, HttpRequestParams, HttpResponseHead } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import { GraphLoadError } from '../runtime-error.ts';
import type { ServerConnection } from '../server-link.ts';
import type { Extras } from './extras.ts';

/** `http.app`: an object with `fetch(request)`, such as a Hono app, that answers the paths the server does not. */
export class CustomApp {
  readonly #extras: Extras;
  readonly #connection: ServerConnection;
  readonly #running = new Map<string, AbortController>();

  constructor(extras: Extras, connection: ServerConnection) {
    this.#extras = extras;
    this.#connection = connection;
  }

  async request(params: HttpRequestParams): Promise<HttpResponseHead> {
    const app = await this.#extras.load('http_app');
    if (!isRecord(app) || typeof app.fetch !== 'function') {
      throw new GraphLoadError('http.app must be an object with fetch(request), such as a Hono app.');
    }
    const controller = new AbortController();
    this.#running.set(params.request_id, controller);
    const request = new Request(params.url, {
      method: params.method,
      headers: params.headers,
      signal: controller.signal,
      ...(params.body === null ? {} : { body: Buffer.from(params.body, 'base64') }),
    });
    const response: unknown = await app.fetch(request);
    if (!(response instanceof Response)) throw new GraphLoadError('http.app gave no Response.');
    // After the head, which goes out as the answer to this request.
    setImmediate(() => void this.#send(params.request_id, response));
    return { status: response.status, headers: [...response.headers] };
  }

  cancel({ request_id }: HttpCancelParams): Record<never, never> {
    this.#running.get(request_id)?.abort();
    return {};
  }

  async #send(request_id: string, response: Response): Promise<void> {
    const send = (data: string, done: boolean) =>
      this.#connection.notify('http.body', { request_id, data, done });
    try {
      if (response.body !== null) {
        for await (const chunk of response.body) send(Buffer.from(chunk).toString('base64'), false);
      }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) console.error(error);
    } finally {
      this.#running.delete(request_id);
      send('', true);
    }
  }
}
