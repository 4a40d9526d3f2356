/** Work that is done between requests, in slices. */
export interface BackgroundWork {
  /** @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  /**
   * When work is due, according to the database: in microseconds, in the past when it is due now, `Infinity` when there
   * is none. The thread may end and be started again at that time.
   */
  dueAt(): number;
  stop?(): void;
  /** The idle time to wait for, so as not to delay consecutive requests. */
  readonly quietMs?: number;
  /** The maximum time between slices under load. */
  readonly starvedMs?: number;
  /** Whether every server of a team does this work, and not only the one that maintains the database. */
  readonly isOfEachServer?: boolean;
}
