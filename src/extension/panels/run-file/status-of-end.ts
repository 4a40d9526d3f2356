import type { SavedEnd } from '../../../replay/run-file.ts';
import { shownOutcome } from '../../../terms/run-outcome.ts';
import type { SpanStatus } from '../trace/messages.ts';

/** The status of a thread whose last run ended like this. */
export function statusOfEnd({
  status,
  waits,
  next = [],
}: Pick<SavedEnd, 'status' | 'waits' | 'next'>): SpanStatus {
  switch (status) {
    case 'success':
      return shownOutcome({ outcome: status, waits, next });
    // A run that waits has this status only on other servers; otherwise, it was canceled.
    case 'interrupted':
      return waits ? 'interrupted' : 'cancelled';
    default:
      return 'error';
  }
}
