/** Work between requests, in slices. */
export interface BackgroundWork {
  /** @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  /**
   * When work is due, according to the database: in microseconds, in the past when it is due now, `Infinity` when
   * there is none. The thread may end until then.
   */
  dueAt(): number;
  stop?(): void;
  /** Waits for this idle time, so as not to delay consecutive requests. */
  readonly quietMs?: number;
  /** Maximum wait for a slice under load. */
  readonly starvedMs?: number;
  /** Runs on each server of a team, and not only on the one that maintains the database. */
  readonly isOfEachServer?: boolean;
}
