/** Work that goes on between requests, a slice at a time. */
export interface BackgroundWork {
  /** @returns whether there is more to do. */
  advance(budgetMs: number): boolean;
  stop?(): void;
  /** Waits until nothing was written for so long, so that it takes no time from requests that follow each other. */
  readonly quietMs?: number;
  /** However busy it is, it gets a slice after so long. */
  readonly starvedMs?: number;
}
