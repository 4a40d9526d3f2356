/** The maximum number of characters in all texts and keys together. */
const MAX_CHARS = 4 * 1_048_576;

/**
 * A cache of the most recently used texts, with one limit for the processes of all deployments on a server.
 */
export class TextCache {
  readonly #texts = new Map<string, string>();
  #chars = 0;
  /** The number of parts so far; each part's number begins its keys. */
  #parts = 0;

  /** Makes a part of the cache with its own keys. */
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

/** The texts of one part. */
export interface TextCachePart {
  get(key: string): string | undefined;
  keep(key: string, text: string): void;
  /** Frees the memory of a part whose texts will not be needed again. */
  clear(): void;
}
