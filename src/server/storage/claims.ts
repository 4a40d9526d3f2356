/**
 * How the servers of a database divide work that is stored as rows with a due time, such as webhooks and crons, for
 * which each of them looks.
 */
export abstract class Claims {
  /**
   * How long this server leaves work that was due before it started to other servers. @param ms the time to return if
   * there are other servers.
   */
  abstract patienceFor(ms: number): number;

  /**
   * The time after which a server looks for work again. @param waitMs the time until the next known work; undefined
   * without any. @param atMostMs the limit if other servers may leave work behind. @returns undefined if it need not
   * look before it is notified of work.
   */
  abstract lookAfter(waitMs: number | undefined, atMostMs: number): number | undefined;

  /**
   * Claims work for this server.
   * @param claim stores the claim, and returns nothing when another server was faster.
   * @param unclaimed the result if there is no other server.
   */
  abstract take<Claim>(unclaimed: Claim, claim: () => Promise<Claim | undefined>): Promise<Claim | undefined>;

  /** Releases a claim for other servers. @param release stores the release. */
  abstract giveBack(release: () => Promise<unknown>): Promise<void>;
}

/** The claims of a server with its own database, whose work no other server does. */
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
