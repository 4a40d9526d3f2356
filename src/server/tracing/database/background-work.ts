/** Work done between requests, in slices. */
export interface BackgroundWork {
  /** @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  /**
   * When there is something to do, by what is stored: in microseconds, in the past when it is now, `Infinity` when there
   * is nothing. The thread may be ended until then.
   */
  dueAt(): number;
  stop?(): void;
  /** Waits for this idle time, to not delay consecutive requests. */
  readonly quietMs?: number;
  /** Maximum wait for a slice under load. */
  readonly starvedMs?: number;
  /** Done by each server of a team, and not only by the one that maintains the database. */
  readonly isOfEachServer?: boolean;
}
