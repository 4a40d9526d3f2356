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
    try {
      const response: unknown = await app.fetch(request);
      if (!(response instanceof Response)) throw new GraphLoadError('http.app gave no Response.');
      // After the head, which goes out as the answer to this request.
      setImmediate(() => void this.#send(params.request_id, response, controller.signal));
      return { status: response.status, headers: [...response.headers] };
    } catch (error) {
      this.#running.delete(params.request_id);
      throw error;
    }
  }

  cancel({ request_id }: HttpCancelParams): Record<never, never> {
    this.#running.get(request_id)?.abort();
    return {};
  }

  /** Until the body has ended, or nobody waits for it any more. */
  async #send(request_id: string, { body }: Response, signal: AbortSignal): Promise<void> {
    const send = (data: string, done: boolean) =>
      this.#connection.notify('http.body', { request_id, data, done });
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

/** What a stream gives until the signal, which cancels it: an app hears of that as it would from any server. */
async function* until(signal: AbortSignal, stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield Buffer.from(value);
  }
}
