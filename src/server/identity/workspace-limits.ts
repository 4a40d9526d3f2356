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

  async read(workspaceId: string): Promise<WorkspaceLimits> {
    const remembered = this.#remembered.get(workspaceId);
    if (remembered !== undefined && performance.now() < remembered.until) return remembered.limits;
    const row = await this.#db
      .selectFrom('workspaces')
      .select('limits')
      .where('id', '=', workspaceId)
      .executeTakeFirst();
    const stored = WorkspaceLimits.partial().safeParse(jsonOrUndefined(row?.limits ?? '{}'));
    const limits = WorkspaceLimits.parse({ ...NONE, ...stored.data });
    this.#remembered.set(workspaceId, { limits, until: performance.now() + REMEMBERED_MS });
    return limits;
  }

  async set({ workspaceId }: Caller, changes: WorkspaceLimitsChange): Promise<WorkspaceLimits> {
    this.#remembered.delete(workspaceId);
    const before = await this.read(workspaceId);
    const limits = WorkspaceLimits.parse({ ...before, ...changes });
    const { numUpdatedRows } = await this.#db
      .updateTable('workspaces')
      .set({ limits: JSON.stringify(limits) })
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw notFound('Workspace', workspaceId);
    this.#remembered.delete(workspaceId);
    this.#storage.forget(workspaceId);
    return limits;
  }

  /** @param more the number of new runs. @throws HttpError 429 if they would exceed a limit of the workspace */
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

  /** @throws HttpError 429 when the workspace has reached its limit of threads. */
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
   * Checks whether a workspace may store more. The data of runs that were accepted before is stored in any case.
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
   * @returns its maximum bytes; undefined for no limit.
   * @throws HttpError 429
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

function tooMany(detail: string): HttpError {
  return new HttpError(429, detail, { 'retry-after': '5' });
}
