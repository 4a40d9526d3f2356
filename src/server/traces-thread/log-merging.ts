import type { DatabaseSync } from 'node:sqlite';
import { type MergeThreshold, WalThread } from '../storage/wal-thread.ts';
import type { BackgroundWork } from '../tracing/database/background-work.ts';

/**
 * How much must be written before the log is merged. A span makes 12 rows, which change one to three pages of 4 KB, so
 * the log has 15 to 40 MB by then. A payload is a row of any size, so each page by which the file grows counts as ten
 * rows.
 */
const MERGE_THRESHOLD: MergeThreshold = {
  measure: `total_changes()
    + 10 * ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))`,
  minGrowth: 40_000,
};

/** Lets another thread merge the write-ahead log of `traces.db` into its file while requests are stored. */
export class LogMerging implements BackgroundWork {
  readonly #wal: WalThread;

  /** @param database the connection that writes. */
  constructor(database: DatabaseSync) {
    this.#wal = new WalThread(database, MERGE_THRESHOLD);
  }

  /** Starts merging when the log is large enough; never leaves anything to continue. */
  advance(): boolean {
    this.#wal.afterCommit();
    return false;
  }

  /** Never due by itself, because closing the database merges the rest of the log. */
  dueAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** This thread does not end before the merging one, so nothing is awaited here. */
  stop(): void {
    void this.#wal.close();
  }
}
