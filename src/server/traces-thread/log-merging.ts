import type { DatabaseSync } from 'node:sqlite';
import { type Much, WalThread } from '../storage/wal-thread.ts';
import type { BackgroundWork } from '../tracing/database/background-work.ts';

/**
 * A span makes 12 rows, which change one to three pages of 4 KB, so that the log has 15 to 40 MB then. Its payload is a row
 * of any size, so a page that the file needs besides counts for ten rows.
 */
const MUCH: Much = {
  changed: `total_changes()
    + 10 * ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))`,
  enough: 40_000,
};

/** Has the write-ahead log of `traces.db` merged into its file by another thread while requests are stored. */
export class LogMerging implements BackgroundWork {
  readonly #wal: WalThread;

  /** @param database the connection that writes. */
  constructor(database: DatabaseSync) {
    this.#wal = new WalThread(database, MUCH);
  }

  /** Begins to merge when there is enough to; there is never anything to go on with. */
  advance(): boolean {
    this.#wal.afterCommit();
    return false;
  }

  /** Never due by itself: closing the database merges the rest of the log. */
  dueAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** The end of this thread waits for that of the merging one, so nothing is awaited here. */
  stop(): void {
    void this.#wal.close();
  }
}
