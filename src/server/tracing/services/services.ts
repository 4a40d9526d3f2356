import type { RateLimit } from '../../http/rate-limit.ts';
import type { Logger } from '../../logger.ts';
import type { TraceChange } from '../context/changes.ts';
import type { Call } from '../database/operations.ts';
import type { ReadOperations } from '../operations/read-operations.ts';
import type { WriteOperations } from '../operations/write-operations.ts';
import type { Part } from '../runs/parts.ts';

/** The object store of a team, for contents of requests. */
export interface PayloadUploads {
  /**
   * Uploads the large payloads among the parts of a request.
   * @returns all parts, those uploaded with the names of their objects.
   * @throws HttpError 503 while the store cannot be used.
   */
  upload(parts: readonly Part[]): Promise<readonly Part[]>;
}

/** How many requests a key may send. */
export interface TracingLimits {
  /** `POST /runs` and `PATCH /runs/{id}`: lower than the next one (docs/interface/tracing.md#ingestion). */
  readonly single: RateLimit;
  /** `POST /runs/multipart` and `/runs/batch`. */
  readonly many: RateLimit;
}

/** Everything that the handlers of tracing use. */
export interface TracingServices {
  /** Calls an operation of the writing thread; resolves after its commit. */
  readonly write: Call<WriteOperations>;
  /** Calls an operation of the reading thread. */
  readonly read: Call<ReadOperations>;
  /** Whether anything was ever stored; otherwise nothing needs to be looked up. */
  readonly hasTraces: () => boolean;
  /** Hides projects immediately and purges everything in them. @throws HttpError 404 */
  readonly purgeSessions: (request: {
    workspaceId: string;
    by: string | null;
    sessionIds: readonly string[];
  }) => Promise<{ jobIds: string[] }>;
  readonly publish: (workspaceId: string, changes: readonly TraceChange[]) => void;
  readonly baseUrl: () => string;
  readonly dataDir: string;
  /** Where large payloads are uploaded before they are stored; absent if they are stored with the rest. */
  readonly objects?: PayloadUploads | undefined;
  readonly version: string;
  readonly limits: TracingLimits;
  /**
   * Counts a request of a workspace. @returns its maximum bytes, if that is limited. @throws HttpError 429
   */
  readonly takeIngestion: (workspaceId: string) => Promise<number | undefined>;
  /** The secret names of the deployment that a key belongs to; empty for keys without a deployment. */
  readonly hiddenNames: (keyId: string) => Promise<readonly string[]>;
  readonly logger: Logger;
}
