/** Where an agent server listens: for its project's own code, which may ask before that is known. */
export class OwnAddress {
  #url: string | undefined;
  #opening: PromiseWithResolvers<void> | undefined;

  /** Undefined while the server does not listen. */
  get url(): string | undefined {
    return this.#url;
  }

  /** The address once the server listens, if it is about to; undefined when it is not. */
  async next(): Promise<string | undefined> {
    await this.#opening?.promise;
    return this.#url;
  }

  /** The server is about to listen: whoever asks for the next address waits. */
  expect(): void {
    this.#opening ??= Promise.withResolvers();
  }

  /** Nobody waits any longer for the server to listen. */
  giveUp(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  /** The server listens there from now on, or nowhere. */
  set(url: string | undefined): void {
    this.#url = url;
    this.giveUp();
  }
}
