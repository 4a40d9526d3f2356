import type { DatabaseSync } from 'node:sqlite';
import { WalThread } from '../storage/wal-thread.ts';
import type { BackgroundWork } from '../tracing/background-work.ts';

/** A span makes 12 rows, which change one to three pages of 4 KB, so that the log has 15 to 40 MB then. */
const MAX_CHANGED_ROWS = 40_000;

/** Has the write-ahead log of `traces.db` merged into its file by another thread while requests are stored. */
export class LogMerging implements BackgroundWork {
  readonly #wal: WalThread;

  /** @param database the connection that writes. */
  constructor(database: DatabaseSync) {
    this.#wal = new WalThread(database, MAX_CHANGED_ROWS);
  }

  /** Begins to merge when there is enough to; there is never anything to go on with. */
  advance(): boolean {
    this.#wal.afterCommit();
    return false;
  }

  /** What is left in the log is merged when the database is closed. */
  dueAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** The thread that is ending waits for the other one, which so may be left alone. */
  stop(): void {
    void this.#wal.close();
  }
}
