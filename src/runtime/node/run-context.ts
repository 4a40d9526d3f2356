import { AsyncLocalStorage } from 'node:async_hooks';

/** Which run the code that is running belongs to, for what goes wrong where no run can catch it. */
export class RunContext {
  readonly #storage = new AsyncLocalStorage<string>();

  within<Result>(runId: string, work: () => Result): Result {
    return this.#storage.run(runId, work);
  }

  get runId(): string | undefined {
    return this.#storage.getStore();
  }
}
