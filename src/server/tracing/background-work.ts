/** Work done between requests, in slices. */
export interface BackgroundWork {
  /** @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  stop?(): void;
  /** Waits for this idle time, to not delay consecutive requests. */
  readonly quietMs?: number;
  /** Maximum wait for a slice under load. */
  readonly starvedMs?: number;
}
