import type { PurgeScope } from '../../purge/scope.ts';

/** A deletion that a platform has queued without a word on when it happens. */
export interface QueuedDeletion {
  readonly id: string;
  readonly connectionId: string;
  readonly scope: PurgeScope;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** As many traces it was when it was asked for. */
  readonly traces: number;
  /** How many were still there when somebody looked last. */
  readonly remaining?: number | undefined;
  readonly checkedAt?: string | undefined;
}
