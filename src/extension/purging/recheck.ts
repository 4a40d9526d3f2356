import { millisecondsOf } from '../../terms/times.ts';
import type { QueuedDeletion } from './queued-deletion.ts';

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 30 * 60_000;

/**
 * Whether it is time to check a queued deletion again: the longer it takes, the less often, and no more once
 * no traces remain.
 * @param now in milliseconds since 1970
 * @param triedAt the time of the last check, which may have failed, in milliseconds since 1970
 */
export function isRecheckDue(
  { requestedAt, checkedAt, remaining }: QueuedDeletion,
  now: number,
  triedAt = 0,
): boolean {
  if (remaining === 0) return false;
  const requested = millisecondsOf(requestedAt) ?? 0;
  const looked = Math.max(requested, millisecondsOf(checkedAt) ?? 0, triedAt);
  const pause = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, (looked - requested) / 2));
  return now - looked >= pause;
}
