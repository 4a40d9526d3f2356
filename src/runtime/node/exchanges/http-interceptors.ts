import type { Exchanges } from './exchanges.ts';
import { MessageNames } from './message-ids.ts';
import { RequestInterceptor } from './request-interceptor.ts';
import { UndiciInterceptor } from './undici-interceptor.ts';

/**
 * The interceptors that are loaded with the first recorded or replayed run: for requests of `http`, `https` and undici,
 * and for the IDs of messages.
 */
export class HttpInterceptors {
  readonly #messages: MessageNames;
  readonly #requests: RequestInterceptor;
  readonly #undici: UndiciInterceptor;

  constructor(exchanges: Exchanges) {
    this.#messages = new MessageNames(exchanges);
    this.#requests = new RequestInterceptor(exchanges);
    this.#undici = new UndiciInterceptor(exchanges);
  }

  /** Called before a run. @param module `@langchain/core/callbacks/manager` of the user's LangGraph */
  nameMessages(module: Readonly<Record<string, unknown>>): void {
    this.#messages.name(module);
  }

  open(): void {
    this.#requests.open();
    this.#undici.open();
  }

  /** Removes everything that could affect runs that are neither recorded nor replayed. */
  close(): void {
    this.#messages.restore();
    this.#undici.close();
    this.#requests.close();
  }
}
