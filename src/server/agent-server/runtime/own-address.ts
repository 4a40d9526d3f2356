/**
 * The URL of an agent server, for its project's own code, which may need it before the server is listening.
 */
export class OwnAddress {
  #url: string | undefined;
  #opening: PromiseWithResolvers<void> | undefined;

  /** Undefined while the server is not listening. */
  get url(): string | undefined {
    return this.#url;
  }

  /**
   * Reads the URL, and waits for it if the server is about to listen; undefined if the server does not
   * listen.
   */
  async waitForUrl(): Promise<string | undefined> {
    await this.#opening?.promise;
    return this.#url;
  }

  /** Called when the server is about to listen; `waitForUrl` then waits. */
  announce(): void {
    this.#opening ??= Promise.withResolvers();
  }

  /** Lets waiting callers continue without an address. */
  cancel(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  /** Sets the URL the server listens at, or undefined. */
  set(url: string | undefined): void {
    this.#url = url;
    this.cancel();
  }
}
