import type { PurgeScope } from '../../purge/scope.ts';

/** A deletion that a platform has queued without saying when it happens. */
export interface QueuedDeletion {
  readonly id: string;
  readonly connectionId: string;
  readonly scope: PurgeScope;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** Number of traces when the deletion was requested. */
  readonly traces: number;
  /** Number of traces that remained at the last successful check. */
  readonly remaining?: number | undefined;
  /** The time of the last successful check, ISO 8601. */
  readonly checkedAt?: string | undefined;
}
