import type { Divergence, ReplayReport } from '../contract/agent-server/exchanges.ts';
import type { RunError, SavedEnd } from '../replay/run-file.ts';

/** How a run ended. */
export interface RunEnd {
  readonly status: string;
  /** Why it failed, if known. */
  readonly error?: RunError | undefined;
}

/** How a recorded run ended, and how its replay did. */
export interface Ends {
  readonly recorded: RunEnd | undefined;
  readonly now: RunEnd;
}

/** How a replay compares to its file; the first difference. */
export type ReplayOutcome = (
  | { readonly kind: 'same' }
  | { readonly kind: 'diverged'; readonly divergence: Divergence }
  /** It ended differently, or with another error. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'unused'; readonly unused: ReplayReport['unused'] }
  | { readonly kind: 'steps'; readonly recorded: SavedEnd['steps']; readonly now: SavedEnd['steps'] }
  | { readonly kind: 'values'; readonly recorded: unknown; readonly now: unknown }
) &
  Readonly<ReplayProgress>;

/** The counts of a replay so far, and the end of its last run. */
export interface ReplayProgress {
  threadId: string;
  runId: string;
  answered: number;
  live: number;
  /** Whether requests that were not recorded were sent, because that was allowed. */
  isNew: boolean;
  /** The end of the run that was compared last; undefined before the first. */
  ends: Ends | undefined;
}
