/**
 * How the servers of a database share out work that is stored as rows with the time when it is due, such as webhooks and
 * crons: each of them looks for it.
 */
export abstract class Claims {
  /** How long others are given to do what was due before this server was there. @param ms so long, where there are others. */
  abstract patienceFor(ms: number): number;

  /**
   * After how long a server looks for work again.
   * @param waitMs until the next work that it knows of; undefined without any.
   * @param atMostMs so soon where others may leave work.
   * @returns undefined for never, unless it hears of work.
   */
  abstract lookAfter(waitMs: number | undefined, atMostMs: number): number | undefined;

  /**
   * Keeps others from work while this server does it.
   * @param claim stores that, and answers nothing when another server was faster.
   * @param unclaimed the answer when no other server has to be kept from it.
   */
  abstract take<Claim>(unclaimed: Claim, claim: () => Promise<Claim | undefined>): Promise<Claim | undefined>;

  /** Lets others do what this server has taken. @param release stores that. */
  abstract giveBack(release: () => Promise<unknown>): Promise<void>;
}

/** The claims of a server that has its database to itself: no other server does its work. */
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
