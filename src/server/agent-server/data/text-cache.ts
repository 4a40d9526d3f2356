/** Characters of all texts together, with their keys. */
const MAX_CHARS = 4 * 1_048_576;

/** The texts used last, up to a bound that all deployments of a server share, with all of their processes. */
export class TextCache {
  readonly #texts = new Map<string, string>();
  #chars = 0;
  #parts = 0;

  /** A part whose keys mean nothing to the others. */
  part(): TextCachePart {
    const prefix = `${this.#parts++} `;
    return {
      get: (key) => this.#get(prefix + key),
      keep: (key, text) => this.#keep(prefix + key, text),
      clear: () => {
        for (const key of this.#texts.keys()) if (key.startsWith(prefix)) this.#forget(key);
      },
    };
  }

  #get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  #keep(key: string, text: string): void {
    this.#forget(key);
    this.#texts.set(key, text);
    this.#chars += key.length + text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= MAX_CHARS) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const text = this.#texts.get(key);
    if (text === undefined) return;
    this.#chars -= key.length + text.length;
    this.#texts.delete(key);
  }
}

/** The texts of one of those that share the bound. */
export interface TextCachePart {
  get(key: string): string | undefined;
  keep(key: string, text: string): void;
  /** Makes room for the others: nothing of it will be asked for again. */
  clear(): void;
}
