import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { InterruptedTraces } from '../../tracing/services/interrupted-traces.ts';

export interface AbandonedTracesOptions {
  readonly db: Pick<StateDatabase, 'duties' | 'listServers' | 'selectFrom'>;
  readonly traces: Pick<InterruptedTraces, 'listOpenRuns' | 'endTrace'>;
  readonly deploymentId: string;
  readonly logger: Logger;
}

/** Ends the traces of runs that have ended on servers of a team that no longer exist. */
export interface AbandonedTraceEnder {
  /** Checks periodically, until it is closed. */
  start(): void;
  close(): void;
}
