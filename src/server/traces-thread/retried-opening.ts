import { pause } from '../../process/pause.ts';
import { HttpError } from '../http/errors.ts';
import type { Logger } from '../logger.ts';
import { DataFolderError } from '../storage/data-folder-error.ts';

/** The pause before a failed opening is tried again. */
const RETRY_MS = 5_000;

interface RetriedOpeningOptions {
  /** @throws DataFolderError */
  open(): Promise<void>;
  readonly logger: Logger;
}

/**
 * Opens the traces of a team, and retries while the database is temporarily unavailable. In the meantime, the server
 * answers all other requests.
 */
export class RetriedOpening {
  readonly #options: RetriedOpeningOptions;
  readonly #closed = new AbortController();
  #state: 'opening' | 'open' | 'failed' = 'opening';

  constructor(options: RetriedOpeningOptions) {
    this.#options = options;
  }

  /**
   * Opens the traces. If they are temporarily unavailable, returns, and keeps retrying in the background.
   * @throws DataFolderError for a permanent reason.
   */
  async begin(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!(error instanceof DataFolderError && error.mayPass)) throw error;
      this.#options.logger.error({ err: error }, 'traces cannot be opened now; trying again');
      void this.#openLater();
    }
  }

  /** Checks whether load balancers should send requests. @throws HttpError 503 */
  checkOpen(): void {
    if (this.#state !== 'open') throw notYet();
  }

  /**
   * Checks whether a request may use the traces, even if it must wait until they are open.
   * @throws HttpError 503 if they could not be opened.
   */
  checkUsable(): void {
    if (this.#state === 'failed') throw notYet();
  }

  /** Stops retrying. */
  close(): void {
    this.#closed.abort();
  }

  async #open(): Promise<void> {
    try {
      await this.#options.open();
      this.#state = 'open';
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }

  async #openLater(): Promise<void> {
    const { logger } = this.#options;
    const { signal } = this.#closed;
    while (this.#state !== 'open') {
      await pause(RETRY_MS, { signal, ref: false });
      if (signal.aborted) return;
      await this.#open().then(
        () => logger.info('traces are open'),
        (err: unknown) => logger.warn({ err }, 'traces cannot be opened yet'),
      );
    }
  }
}

function notYet(): HttpError {
  return new HttpError(503, 'Traces are not available yet. Nothing was stored. Try again.', {
    'retry-after': '1',
  });
}
