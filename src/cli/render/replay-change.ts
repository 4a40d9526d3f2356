import { compareValues } from '../../replay/divergence.ts';
import { describeDifferences } from '../../replay/divergence-text.ts';

/** What differs between what was recorded and what is now, a path at a time. */
export function describeChange(recorded: unknown, now: unknown): string {
  return describeDifferences(compareValues(recorded, now));
}
