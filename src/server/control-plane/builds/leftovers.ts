import { fileSystemCode } from '../../../process/error-codes.ts';
import type { Logger } from '../../logger.ts';

const AGAIN_AFTER_MS = 60_000;

/**
 * Removes what an earlier server has left. On Windows, a program that outlived it may have some of that open, which must not
 * keep this one from starting.
 */
export class Leftovers {
  readonly #logger: Logger;
  readonly #againAfterMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor(logger: Logger, againAfterMs = AGAIN_AFTER_MS) {
    this.#logger = logger;
    this.#againAfterMs = againAfterMs;
  }

  /**
   * @param remove may fail in the file system, and is tried again then.
   * @param later how it is tried again, when it must not be at any time.
   * @throws any error that is not one of the file system, the first time.
   */
  async remove(remove: () => Promise<void>, later = remove): Promise<void> {
    try {
      await remove();
    } catch (err) {
      if (fileSystemCode(err) === undefined) throw err;
      this.#logger.warn({ err }, 'could not remove what an earlier server left; trying again later');
      this.#removeLater(later);
    }
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #removeLater(remove: () => Promise<void>): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.remove(remove).catch((err: unknown) =>
        this.#logger.error({ err }, 'could not remove what an earlier server left'),
      );
    }, this.#againAfterMs).unref();
    this.#timers.add(timer);
  }
}
