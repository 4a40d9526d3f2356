import type { Exchanges } from './exchanges.ts';
import { MessageIds } from './message-ids.ts';
import { RequestInterceptor } from './request-interceptor.ts';
import { UndiciInterceptor } from './undici-interceptor.ts';

/**
 * The interceptors that are loaded with the first recorded or replayed run: for requests of `http`, `https`
 * and undici, and for the IDs of messages.
 */
export class HttpInterceptors {
  readonly #messageIds: MessageIds;
  readonly #requests: RequestInterceptor;
  readonly #undici: UndiciInterceptor;

  constructor(exchanges: Exchanges) {
    this.#messageIds = new MessageIds(exchanges);
    this.#requests = new RequestInterceptor(exchanges);
    this.#undici = new UndiciInterceptor(exchanges);
  }

  /**
   * Called before a run.
   * @param module `@langchain/core/callbacks/manager` of the user's LangGraph
   */
  replaceMessageIds(module: Readonly<Record<string, unknown>>): void {
    this.#messageIds.replace(module);
  }

  open(): void {
    this.#requests.open();
    this.#undici.open();
  }

  /** Removes everything that could affect runs that are neither recorded nor replayed. */
  close(): void {
    this.#messageIds.restore();
    this.#undici.close();
    this.#requests.close();
  }
}
