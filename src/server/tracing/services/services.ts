import type { RateLimit } from '../../http/rate-limit.ts';
import type { Logger } from '../../logger.ts';
import type { TraceChange } from '../context/changes.ts';
import type { Call } from '../database/operations.ts';
import type { ReadOperations } from '../operations/read-operations.ts';
import type { WriteOperations } from '../operations/write-operations.ts';
import type { Part } from '../runs/parts.ts';

/** The object store of a team, for the contents of requests. */
export interface PayloadUploads {
  /**
   * Uploads the large payloads among the parts of a request.
   * @returns all parts; those that were uploaded have the names of their objects.
   * @throws HttpError 503 while the store cannot be used.
   */
  upload(parts: readonly Part[]): Promise<readonly Part[]>;
}

/** Limits how many requests a key may send. */
interface TracingLimits {
  /** `POST /runs` and `PATCH /runs/{id}`: lower than `many` (docs/interface/tracing.md#ingestion). */
  readonly single: RateLimit;
  /** `POST /runs/multipart` and `/runs/batch`, and OpenTelemetry. */
  readonly many: RateLimit;
}

/** Everything that the tracing handlers use. */
export interface TracingServices {
  /** Calls an operation of the writing thread; resolves after its commit. */
  readonly write: Call<WriteOperations>;
  /** Calls an operation of a reading thread. */
  readonly read: Call<ReadOperations>;
  /** Whether anything has ever been stored; if not, nothing needs to be looked up. */
  readonly hasTraces: () => boolean;
  /** Hides projects immediately and purges everything in them. @throws HttpError 404 */
  readonly purgeSessions: (request: {
    workspaceId: string;
    by: string | null;
    sessionIds: readonly string[];
  }) => Promise<{ jobIds: string[] }>;
  /** Sends changes to the workspace's change feed. */
  readonly publish: (workspaceId: string, changes: readonly TraceChange[]) => void;
  /** The address at which clients reach the server. */
  readonly baseUrl: () => string;
  readonly dataDir: string;
  /** Uploads large payloads before the rest is stored; undefined if they are stored with the rest. */
  readonly objects?: PayloadUploads | undefined;
  readonly version: string;
  readonly limits: TracingLimits;
  /**
   * Counts a request of a workspace. @returns the maximum size of the request in bytes, if that is limited. @throws
   * HttpError 429
   */
  readonly takeIngestion: (workspaceId: string) => Promise<number | undefined>;
  /** The names of the secrets of the deployment that a key belongs to; empty for keys without a deployment. */
  readonly hiddenNames: (keyId: string) => Promise<readonly string[]>;
  readonly logger: Logger;
}
