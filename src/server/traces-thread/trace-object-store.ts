import type { Logger } from '../logger.ts';
import type { PayloadUploads } from '../tracing/services/services.ts';
import type { ObjectFetcher, WorkerThread } from './worker-thread.ts';

/** The object store of a team, for tracing. */
export interface TraceObjectStore extends ObjectFetcher, PayloadUploads {
  /** Removes objects that no payload uses. */
  remove(names: readonly string[]): Promise<void>;
  /** Cancels pending work. */
  close(): void;
}

/** Opens the object store for tracing. */
export type OpenTraceObjects = (tracing: {
  readonly dataDir: string;
  readonly logger: Logger;
  /** Calls an operation of the writing thread. */
  readonly write: WorkerThread['call'];
}) => TraceObjectStore;
