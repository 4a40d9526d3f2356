import type { Divergence, ReplayReport } from '../contract/agent-server/exchanges.ts';
import type { RunError } from '../contract/agent-server/runs.ts';
import type { SavedEnd } from '../replay/run-file.ts';

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

/** The first difference between a replay and its file, or `same`. */
export type ReplayOutcome = (
  | { readonly kind: 'same' }
  | { readonly kind: 'diverged'; readonly divergence: Divergence }
  /** A run ended with another status or another error; `ends` has both ends. */
  | { readonly kind: 'ended' }
  /** Recorded requests that the replay did not send. */
  | { readonly kind: 'unused'; readonly unused: ReplayReport['unused'] }
  | { readonly kind: 'steps'; readonly recorded: SavedEnd['steps']; readonly now: SavedEnd['steps'] }
  | { readonly kind: 'values'; readonly recorded: unknown; readonly now: unknown }
) &
  Readonly<ReplayProgress>;

/** The counts of a replay so far, and the end of its last run. */
export interface ReplayProgress {
  threadId: string;
  runId: string;
  /** Requests that were answered from the recording. */
  answered: number;
  /** Requests that were sent over the network. */
  live: number;
  /** Whether the replay made requests that were not recorded; they were sent only if that was allowed. */
  isNew: boolean;
  /** The end of the run that was compared last; undefined before the first. */
  ends: Ends | undefined;
}
