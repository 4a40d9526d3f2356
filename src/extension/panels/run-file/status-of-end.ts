import type { SavedEnd } from '../../../replay/run-file.ts';
import type { SpanStatus } from '../trace/messages.ts';

/** The status of a thread whose last run ended so. */
export function statusOfEnd({
  status,
  waits,
  next = [],
}: Pick<SavedEnd, 'status' | 'waits' | 'next'>): SpanStatus {
  switch (status) {
    case 'success':
      if (waits) return 'interrupted';
      return next.length > 0 ? 'paused' : 'success';
    case 'interrupted':
      return waits ? 'interrupted' : 'cancelled';
    default:
      return 'error';
  }
}
