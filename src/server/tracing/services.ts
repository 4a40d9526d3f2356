import type { Logger } from '../logger.ts';
import type { WorkerThread } from '../storage/worker-thread.ts';
import type { TraceChange } from './changes.ts';
import type { ReadOperations } from './read-operations.ts';
import type { WriteOperations } from './write-operations.ts';

/** What the handlers of tracing work with. */
export interface TracingServices {
  /** Calls an operation of the writing thread; resolves after its commit. */
  readonly write: WorkerThread<WriteOperations>['call'];
  /** Calls an operation of the reading thread. */
  readonly read: WorkerThread<ReadOperations>['call'];
  readonly publish: (workspaceId: string, changes: readonly TraceChange[]) => void;
  readonly baseUrl: () => string;
  readonly dataDir: string;
  readonly version: string;
  readonly logger: Logger;
}
