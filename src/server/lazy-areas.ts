import { pause } from '../process/pause.ts';
import { settled } from '../process/settled.ts';
import type { AreaParts, Areas } from './open-areas.ts';
import type { AreaTimes, ServerOptions } from './server-options.ts';

const TIMES: AreaTimes = { afterGraphsMs: 500, atLatestMs: 3_000 };

/**
 * Opens the control plane, tracing and identity. Their code is imported only then, so that graphs can load
 * first.
 */
export class LazyAreas {
  readonly #options: ServerOptions;
  readonly #parts: AreaParts;
  readonly #ended = new AbortController();
  #opening: Promise<Areas> | undefined;
  #opened: Areas | undefined;

  constructor(options: ServerOptions, parts: AreaParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get opened(): Areas | undefined {
    return this.#opened;
  }

  /** Opens the areas, once. @throws the errors of `openAreas`. */
  open(): Promise<Areas> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /**
   * Opens the areas when a request for one of them arrives, a while after the graphs of the first folder have
   * loaded, or at the latest after a fixed time.
   * @throws the errors of `openAreas`.
   */
  async openLater(graphsLoaded: Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    const options = { signal, ref: false };
    const { asked } = this.#parts.platform.availability;
    const { afterGraphsMs, atLatestMs } = this.#options.areaTimes ?? TIMES;
    const reasons = [
      asked,
      graphsLoaded.then(() => pause(afterGraphsMs, options)),
      pause(atLatestMs, options),
    ];
    await settled(Promise.race(reasons));
    if (!signal.aborted) await this.open();
  }

  /** Stops opening the areas. @returns the areas if they have been opened, to be closed. */
  async end(): Promise<Areas | undefined> {
    this.#ended.abort();
    if (this.#opening === undefined) this.#parts.platform.availability.setNeverStarted();
    // The caller of `open` already knows why the areas could not be opened.
    return this.#opening?.catch(() => undefined);
  }

  async #open(): Promise<Areas> {
    try {
      const { openAreas } = await import('./open-areas.ts');
      this.#opened = await openAreas(this.#options, this.#parts);
      return this.#opened;
    } catch (error) {
      this.#parts.platform.availability.setNeverStarted();
      throw error;
    }
  }
}
