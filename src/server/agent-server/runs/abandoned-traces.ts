import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { InterruptedTraces } from '../../tracing/services/interrupted-traces.ts';

export interface AbandonedTracesOptions {
  readonly db: Pick<StateDatabase, 'duties' | 'listServers' | 'selectFrom'>;
  readonly traces: Pick<InterruptedTraces, 'listOpenRuns' | 'endTrace'>;
  readonly deploymentId: string;
  readonly logger: Logger;
}

/** Ends the traces of ended runs whose server stopped before it had sent the ends of their spans. */
export interface AbandonedTraceEnder {
  /** Checks periodically, until it is closed. */
  start(): void;
  close(): void;
}
