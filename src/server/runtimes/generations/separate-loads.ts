import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Generation } from './generation.ts';

/** Loads graphs into separate processes, one after the other. */
export class SeparateLoads {
  readonly #mutex = new KeyedMutex();
  readonly #underWay = new Set<AbortController>();

  /** Waits for earlier loads, and then loads graphs. @throws errors of loading; an AbortError after `abort`. */
  async load(load: (signal: AbortSignal) => Promise<Generation>): Promise<Generation> {
    const stopped = new AbortController();
    this.#underWay.add(stopped);
    try {
      return await this.#mutex.run('load', () => {
        stopped.signal.throwIfAborted();
        return load(stopped.signal);
      });
    } finally {
      this.#underWay.delete(stopped);
    }
  }

  /** Aborts all loads, in progress or waiting. */
  abort(): void {
    for (const loading of this.#underWay) loading.abort();
  }
}
