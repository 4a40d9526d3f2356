import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Generation } from './generation.ts';

/** Loads graphs in processes of their own, one after the other. */
export class ApartLoads {
  readonly #mutex = new KeyedMutex();
  readonly #underWay = new Set<AbortController>();

  /** @throws errors of loading; the signal's reason when aborted. */
  async load(load: (signal: AbortSignal) => Promise<Generation>): Promise<Generation> {
    const stopped = new AbortController();
    this.#underWay.add(stopped);
    try {
      return await this.#mutex.run('apart', () => {
        stopped.signal.throwIfAborted();
        return load(stopped.signal);
      });
    } finally {
      this.#underWay.delete(stopped);
    }
  }

  /** Ends the loads that are in progress or waiting. */
  abort(): void {
    for (const loading of this.#underWay) loading.abort();
  }
}
