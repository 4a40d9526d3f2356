import { millisecondsOf } from '../../terms/times.ts';
import type { QueuedDeletion } from './queued-deletion.ts';

const FIRST_DELAY_MS = 5_000;
const MAX_MS = 30 * 60_000;

/**
 * Whether it is time to check a queued deletion again: less often the longer it takes, and never again once no
 * traces were found.
 * @param now ms
 * @param triedAt time of the last check that failed; ms
 */
export function isRecheckDue(
  { requestedAt, checkedAt, remaining }: QueuedDeletion,
  now: number,
  triedAt = 0,
): boolean {
  if (remaining === 0) return false;
  const requested = millisecondsOf(requestedAt) ?? 0;
  const looked = Math.max(requested, millisecondsOf(checkedAt) ?? 0, triedAt);
  const pause = Math.min(MAX_MS, Math.max(FIRST_DELAY_MS, (looked - requested) / 2));
  return now - looked >= pause;
}
