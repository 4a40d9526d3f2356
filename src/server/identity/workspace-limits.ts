import { JsonObject } from '../../contract/fields.ts';
import { WorkspaceLimits, type WorkspaceLimitsChange } from '../../contract/workspace-limits.ts';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError, notFound } from '../http/errors.ts';
import { RateLimit } from '../http/rate-limit.ts';
import type { Metric } from '../metric-text.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { WorkspaceStorage, type WorkspaceStorageOptions } from './workspace-storage.ts';

/** How long limits are cached, because other servers may set them. */
const REMEMBERED_MS = 5_000;
const NONE: WorkspaceLimits = {
  max_unfinished_runs: null,
  max_threads: null,
  max_storage_bytes: null,
  max_ingestions_per_minute: null,
  max_ingestion_bytes: null,
  audit_days: null,
};

/** Enforces the limits of workspaces. Concurrent requests may exceed them together. */
export class WorkspaceLimiter {
  readonly #db: StateDatabase;
  readonly #remembered = new Map<string, { readonly limits: WorkspaceLimits; readonly until: number }>();
  readonly #rates = new Map<string, { readonly perMinute: number; readonly rate: RateLimit }>();
  readonly #storage: WorkspaceStorage;

  constructor(db: StateDatabase, storage: WorkspaceStorageOptions) {
    this.#db = db;
    this.#storage = new WorkspaceStorage(storage);
  }

  /** The limits of a workspace, as they were at most five seconds ago; none for an unknown workspace. */
  async read(workspaceId: string): Promise<WorkspaceLimits> {
    const remembered = this.#remembered.get(workspaceId);
    if (remembered !== undefined && performance.now() < remembered.until) return remembered.limits;
    const limits = limitsOf(objectIn((await this.#readText(workspaceId)) ?? null));
    this.#remembered.set(workspaceId, { limits, until: performance.now() + REMEMBERED_MS });
    return limits;
  }

  /** Changes the given limits. @throws HttpError 404 */
  async set({ workspaceId }: Caller, changes: WorkspaceLimitsChange): Promise<WorkspaceLimits> {
    for (;;) {
      const text = await this.#readText(workspaceId);
      if (text === undefined) throw notFound('Workspace', workspaceId);
      const stored = { ...objectIn(text), ...changes };
      const { numUpdatedRows } = await this.#db
        .updateTable('workspaces')
        .set({ limits: JSON.stringify(stored) })
        .where('id', '=', workspaceId)
        // A concurrent change by another request is not overwritten.
        .where(({ eb }) => (text === null ? eb('limits', 'is', null) : eb('limits', '=', text)))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) {
        this.#remembered.delete(workspaceId);
        this.#storage.forget(workspaceId);
        return limitsOf(stored);
      }
    }
  }

  /** The stored limits; null if none were ever set, undefined for an unknown workspace. */
  async #readText(workspaceId: string): Promise<string | null | undefined> {
    const row = await this.#db
      .selectFrom('workspaces')
      .select('limits')
      .where('id', '=', workspaceId)
      .executeTakeFirst();
    return row?.limits;
  }

  /**
   * @param more the number of new runs.
   * @throws HttpError 429 if they would exceed a limit of the workspace
   */
  async checkRuns(workspaceId: string, more: number): Promise<void> {
    const { max_unfinished_runs: max } = await this.read(workspaceId);
    await this.checkStorage(workspaceId);
    if (max === null) return;
    const row = await this.#db
      .selectFrom('runs')
      .innerJoin('deployments', 'deployments.id', 'runs.deployment_id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('deployments.workspace_id', '=', workspaceId)
      .where('runs.status', 'in', ['pending', 'running'])
      .executeTakeFirst();
    if ((row?.count ?? 0) + more <= max) return;
    throw tooMany(
      `The limit of unfinished runs of this workspace is ${max}. Try again when some have ended.`,
    );
  }

  /** @throws HttpError 429 when the workspace has reached its limit of threads or of storage. */
  async checkThreads(workspaceId: string): Promise<void> {
    const { max_threads: max } = await this.read(workspaceId);
    await this.checkStorage(workspaceId);
    if (max === null) return;
    const row = await this.#db
      .selectFrom('thread_counts')
      .innerJoin('deployments', 'deployments.id', 'thread_counts.deployment_id')
      .select(({ fn }) => fn.sum<number | null>('threads').as('count'))
      .where('deployments.workspace_id', '=', workspaceId)
      .executeTakeFirst();
    if (Number(row?.count ?? 0) < max) return;
    throw tooMany(
      `The limit of threads of this workspace is ${max}. Delete some, or give threads a time to live (checkpointer.ttl in langgraph.json).`,
    );
  }

  /**
   * Checks whether a workspace may store more. The data of runs that were accepted before is stored in any
   * case.
   * @throws HttpError 429 if it has reached its limit.
   */
  async checkStorage(workspaceId: string): Promise<void> {
    const { max_storage_bytes: max } = await this.read(workspaceId);
    // Another server may have removed the limit.
    if (max === null) return this.#storage.forget(workspaceId);
    const bytes = await this.#storage.read(workspaceId, max);
    if (bytes === undefined || bytes < max) return;
    throw tooMany(
      `The workspace stores ${bytes} bytes, and its limit (max_storage_bytes) is ${max}. Delete threads, items of the store, traces or datasets, give them a time to live, or have the owner raise the limit.`,
    );
  }

  /** The last measured bytes of workspaces with a limit, and the number of measurements. */
  readGauges(workspaceIds: ReadonlySet<string>): Metric[] {
    return this.#storage.readGauges(workspaceIds);
  }

  /**
   * Counts a request with traces.
   * @returns the maximum bytes of the request; undefined for no limit.
   * @throws HttpError 429 when the workspace has reached its limit of such requests or of storage.
   */
  async takeIngestion(workspaceId: string): Promise<number | undefined> {
    const { max_ingestions_per_minute: perMinute, max_ingestion_bytes: bytes } = await this.read(workspaceId);
    if (perMinute !== null) this.#rateOf(workspaceId, perMinute).take(workspaceId);
    await this.checkStorage(workspaceId);
    return bytes ?? undefined;
  }

  #rateOf(workspaceId: string, perMinute: number): RateLimit {
    const known = this.#rates.get(workspaceId);
    if (known?.perMinute === perMinute) return known.rate;
    const rate = new RateLimit(perMinute, 'requests with traces of the workspace');
    this.#rates.set(workspaceId, { perMinute, rate });
    return rate;
  }
}

/**
 * The object in stored JSON. It may have fields of a newer version, which are kept when others are changed.
 */
function objectIn(text: string | null): JsonObject {
  return JsonObject.catch({}).parse(jsonOrUndefined(text ?? '{}'));
}

/**
 * The limits in a stored object. Values that cannot be read, such as those of a newer version, are no limits.
 */
function limitsOf(stored: JsonObject): WorkspaceLimits {
  const readable = Object.entries(WorkspaceLimits.shape).flatMap(([name, limit]) => {
    const value = limit.safeParse(stored[name]);
    return value.success ? [[name, value.data]] : [];
  });
  return WorkspaceLimits.parse({ ...NONE, ...Object.fromEntries(readable) });
}

function tooMany(detail: string): HttpError {
  return new HttpError(429, detail, { 'retry-after': '5' });
}
