import { fileSystemCode } from '../../../process/error-codes.ts';
import type { Logger } from '../../logger.ts';

const AGAIN_AFTER_MS = 60_000;

/**
 * Removes files that an earlier server has left. On Windows, a file cannot be removed while a program that
 * outlived that server has it open. Such a file must not prevent the server from starting, so its removal is
 * tried again later.
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
   * Removes files. If the file system refuses, tries again after a pause, until that succeeds.
   * @param later replaces `remove` for the retries, for example to wait for other work.
   * @throws other errors of the first attempt; those of retries are logged.
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

  /** Gives up what is still to be removed. */
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
