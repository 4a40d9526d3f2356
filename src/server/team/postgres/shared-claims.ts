import { Claims } from '../../storage/claims.ts';

/** The claims of a team's server, because the other servers look for the same work. */
export class SharedClaims extends Claims {
  patienceFor(ms: number): number {
    return ms;
  }

  lookAfter(waitMs: number | undefined, atMostMs: number): number {
    return Math.min(waitMs ?? atMostMs, atMostMs);
  }

  take<Claim>(_unclaimed: Claim, claim: () => Promise<Claim | undefined>): Promise<Claim | undefined> {
    return claim();
  }

  async giveBack(release: () => Promise<unknown>): Promise<void> {
    await release();
  }
}
