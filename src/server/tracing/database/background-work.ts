/** Work that is done between requests, in slices. */
export interface BackgroundWork {
  /** Does a slice of the work, in about the given time. @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  /**
   * Reads from the database when work is due.
   * @returns microseconds since 1970, which may be in the past, or `Infinity` without work. The thread may
   * end before that time, and be started again when the work is due.
   */
  dueAt(): number;
  /** Stops timers, when the thread ends. */
  stop?(): void;
  /** How long the thread must be idle before a slice begins, so that consecutive requests are not delayed. */
  readonly quietMs?: number;
  /** The maximum time between slices under load. */
  readonly starvedMs?: number;
  /** Whether every server of a team does this work, and not only the one that maintains the database. */
  readonly isOfEachServer?: boolean;
}
