import type { Meters } from '../../meters.ts';
import type { ClaimedStore, Objects } from './objects.ts';

/** Measures the operations of an object store, and counts its failures. */
export class MeasuredObjects implements Objects {
  readonly #objects: Objects;
  readonly #times: Meters['objects'];

  constructor(objects: Objects, { objects: times }: Pick<Meters, 'objects'>) {
    this.#objects = objects;
    this.#times = times;
  }

  identify(claimed?: ClaimedStore): Promise<string> {
    return this.#time('identify', () => this.#objects.identify(claimed));
  }

  put(...args: Parameters<Objects['put']>): Promise<void> {
    return this.#time('put', () => this.#objects.put(...args));
  }

  get(...args: Parameters<Objects['get']>): Promise<boolean> {
    return this.#time('get', () => this.#objects.get(...args));
  }

  list(prefix: string): Promise<string[]> {
    return this.#time('list', () => this.#objects.list(prefix));
  }

  has(...args: Parameters<Objects['has']>): Promise<boolean> {
    return this.#time('has', () => this.#objects.has(...args));
  }

  remove(...args: Parameters<Objects['remove']>): Promise<void> {
    return this.#time('remove', () => this.#objects.remove(...args));
  }

  #time<Result>(operation: keyof Objects, work: () => Promise<Result>): Promise<Result> {
    return this.#times.time(work, (error) => ({
      operation,
      outcome: error === undefined ? 'done' : 'failed',
    }));
  }
}
