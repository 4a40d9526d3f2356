import { createHash } from 'node:crypto';

/** Characters of all texts together. */
const MAX_CHARS = 4 * 1_048_576;

/**
 * The newest texts of states, each by everything that it was computed from. A thread's history is read again after every
 * run, and only its newest checkpoints differ; computing one costs LangGraph several hashes for each task.
 */
export class KeptStates {
  readonly #texts = new Map<string, string>();
  #chars = 0;

  get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  keep(key: string, text: string): void {
    this.#forget(key);
    this.#texts.set(key, text);
    this.#chars += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= MAX_CHARS) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#chars -= this.#texts.get(key)?.length ?? 0;
    this.#texts.delete(key);
  }
}

/** @param parts all that a state is computed from. */
export function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
