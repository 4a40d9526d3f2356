/**
 * Divides work among the servers of a database, such as webhooks and crons. The work is stored as rows with a due time;
 * every server looks for due rows, and claims them before it works on them.
 */
export abstract class Claims {
  /**
   * For how many milliseconds after its start this server leaves overdue work to other servers.
   * @param ms the result if there are other servers; otherwise, the result is 0.
   */
  abstract patienceFor(ms: number): number;

  /**
   * After how many milliseconds this server looks for work again.
   * @param waitMs the time until the next known work; undefined without any.
   * @param atMostMs the limit if other servers may leave work behind.
   * @returns undefined if it need not look before it is notified of work.
   */
  abstract lookAfter(waitMs: number | undefined, atMostMs: number): number | undefined;

  /**
   * Claims work for this server.
   * @param claim stores the claim, and returns nothing when another server was faster.
   * @param unclaimed the result if there is no other server.
   */
  abstract take<Claim>(unclaimed: Claim, claim: () => Promise<Claim | undefined>): Promise<Claim | undefined>;

  /** Gives up claimed work, so that other servers can claim it. @param release stores the release. */
  abstract giveBack(release: () => Promise<unknown>): Promise<void>;
}

/** The claims of the only server of a database, which does all work without claiming it. */
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
