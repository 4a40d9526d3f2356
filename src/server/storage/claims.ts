/**
 * How the servers of a database divide work that is stored as rows with a due time, such as webhooks and crons:
 * each of them looks for it.
 */
export abstract class Claims {
  /**
   * How long other servers are given for work that was due before this server started. @param ms the time, if
   * there are others.
   */
  abstract patienceFor(ms: number): number;

  /**
   * After how long a server looks for work again.
   * @param waitMs until the next known work; undefined without any.
   * @param atMostMs the limit if others may leave work.
   * @returns undefined for never, unless it is notified of work.
   */
  abstract lookAfter(waitMs: number | undefined, atMostMs: number): number | undefined;

  /**
   * Claims work for this server.
   * @param claim stores the claim, and returns nothing when another server was faster.
   * @param unclaimed the answer when there is no other server.
   */
  abstract take<Claim>(unclaimed: Claim, claim: () => Promise<Claim | undefined>): Promise<Claim | undefined>;

  /** Releases a claim for other servers. @param release stores that. */
  abstract giveBack(release: () => Promise<unknown>): Promise<void>;
}

/** The claims of a server with a database of its own: no other server does its work. */
export class OwnClaims extends Claims {
  patienceFor(): number {
    return 0;
  }

  lookAfter(waitMs: number | undefined): number | undefined {
    return waitMs;
  }

  take<Claim>(unclaimed: Claim): Promise<Claim> {
    return Promise.resolve(unclaimed);
  }

  giveBack(): Promise<void> {
    return Promise.resolve();
  }
}
