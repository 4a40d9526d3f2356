import type { Updateable } from 'kysely';
import { z } from 'zod';
import type { ArchivedRecord, ArchivedThread, archive } from '../../../contract/agent-server/archive.ts';
import { ThreadStatus } from '../../../contract/agent-server/threads.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { JsonObject } from '../../../contract/fields.ts';
import { messageOf } from '../../../process/message-of.ts';
import { conflict, HttpError, invalid } from '../../http/errors.ts';
import { storageProblem } from '../../http/storage-problem.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import { configFor } from '../auth/run-author.ts';
import { readArchive, writeArchive } from '../data/checkpoints/checkpoint-archive.ts';
import { isNotShared, leaveBase, releaseCopies } from '../data/checkpoints/shared-rows.ts';
import { lookAndWrite } from '../data/look-and-write.ts';
import { newId } from '../data/new-id.ts';
import type { ThreadRow, ThreadStore } from '../data/thread-store.ts';
import type { ThreadStates } from '../states/thread-states.ts';
import type { Threads } from './threads.ts';

export interface ThreadArchiveOptions {
  readonly db: StateDatabase;
  readonly store: ThreadStore;
  readonly threads: Threads;
  readonly states: ThreadStates;
  readonly runtime: DeploymentRuntime;
}

type ImportRequest = Body<typeof archive.importThread>;
type ImportAnswer = Answer<typeof archive.importThread>;

/** The error of a thread while only a part of it has been imported. */
const Unfinished = z.object({
  error: z.literal('ImportUnfinished'),
  message: z.string(),
  /** Distinguishes imports of the same thread. */
  import_id: z.string().optional(),
  /** The status and error of the thread once it is complete. */
  becomes: z.object({ status: ThreadStatus, error: z.unknown() }),
});
type Unfinished = z.output<typeof Unfinished>;

/** Exports and imports threads in the form in which they are stored. */
export class ThreadArchive {
  readonly #options: ThreadArchiveOptions;
  constructor(options: ThreadArchiveOptions) {
    this.#options = options;
  }

  /** Reads a thread and a page of its history. @throws HttpError 404, or 422 for an invalid cursor */
  async read(
    threadId: string,
    cursor: string | undefined,
  ): Promise<{ thread: ArchivedThread; records: ArchivedRecord[]; next: string | null }> {
    const { db, threads } = this.#options;
    const thread = toArchived(await threads.require(threadId));
    // A copy first gets its own rows, because only a thread's own rows are exported.
    await leaveBase(db, threadId);
    return { thread, ...(await readArchive(db, threadId, cursor)) };
  }

  /**
   * Stores a thread, or another part of it. Until the last part arrives, the thread has an error. If its
   * graph cannot read the complete thread, all parts are deleted. If the graph's process or the database does
   * not answer, they are kept, and the last part can be sent again.
   * @throws HttpError 404, 409 for an existing thread, 422 if its graph cannot read it, 503 if the graph does
   * not answer
   */
  async write(threadId: string, request: ImportRequest): Promise<ImportAnswer> {
    const { db } = this.#options;
    refusePickles(request.records);
    const began = await lookAndWrite(() => this.#begin(threadId, request));
    if (began === 'skipped') return { status: 'skipped' };
    await db.transaction().execute((transaction) => writeArchive(transaction, threadId, request.records));
    if (!request.last) return { status: 'unfinished' };
    try {
      await lookAndWrite(() => this.#finish(threadId, began));
    } catch (error) {
      if (mayPass(error)) throw error;
      const stored = await this.#options.store.find(threadId);
      if (stored !== undefined && isOf(began, stored)) await this.#options.threads.delete(threadId);
      throw error;
    }
    return { status: 'imported' };
  }

  /**
   * Creates the thread with the first part of an import, or finds it for a further part.
   * @returns the thread's error while the import is unfinished; `skipped` for an existing thread that the
   * request skips.
   * @throws Refused as stale when another import has begun meanwhile.
   */
  async #begin(threadId: string, request: ImportRequest): Promise<Unfinished | 'skipped'> {
    const { db, store, threads } = this.#options;
    const existing = await db
      .selectFrom('threads')
      .selectAll()
      .where('thread_id', '=', threadId)
      .executeTakeFirst();
    const unfinished = existing === undefined ? undefined : unfinishedOf(existing);
    if (request.thread === undefined) {
      await threads.require(threadId);
      if (unfinished === undefined) throw conflict(`Thread '${threadId}' is not being imported.`);
      return unfinished;
    }
    if (request.thread.thread_id !== threadId) {
      throw invalid(['body', 'thread', 'thread_id'], 'Must be the thread in the path.');
    }
    if (existing === undefined) await threads.checkRoom();
    else if ((await this.#replace(existing, request.if_exists)) === 'skipped') return 'skipped';
    const marker: Unfinished = {
      error: 'ImportUnfinished',
      message: 'This thread has been imported only in part. Import it again, or delete it.',
      import_id: newId(),
      becomes: finalStatus(request.thread),
    };
    const { thread } = request;
    await releaseCopies(db, threadId);
    await db.commit((unit) => {
      // Replaces an unfinished import, unless another import has finished or replaced it in the meantime.
      if (existing !== undefined && unfinished !== undefined) {
        const unfinishedRow = unit.build.deleteFrom('threads').where('thread_id', '=', threadId);
        unit.expect(isNotShared, { thread_id: threadId }, 'stale');
        unit.expect(unfinishedRow.where('error', '=', existing.error), 'stale');
      }
      store.insert(unit, {
        ...store.makeRow(threadId, { ...thread.metadata, ...request.metadata }),
        status: 'error',
        config: JSON.stringify(configFor(thread.config ?? {}, undefined)),
        values: thread.values === undefined ? null : JSON.stringify(thread.values),
        interrupts: JSON.stringify(thread.interrupts ?? {}),
        error: JSON.stringify(marker),
        created_at: utc(thread.created_at),
        updated_at: utc(thread.updated_at),
        state_updated_at: thread.state_updated_at == null ? null : utc(thread.state_updated_at),
      });
    }, threadId);
    return marker;
  }

  /**
   * Deletes a thread that an import replaces. An unfinished import is replaced only when the new thread is
   * stored.
   * @returns `skipped` if the thread is to be kept.
   * @throws HttpError 409 if it may not be replaced.
   */
  async #replace(existing: ThreadRow, ifExists: ImportRequest['if_exists']): Promise<'skipped' | 'replaced'> {
    const { thread_id, deployment_id } = existing;
    if (deployment_id !== this.#options.store.deploymentId) {
      throw conflict(`Thread '${thread_id}' exists in another deployment. Use a new ID.`);
    }
    if (unfinishedOf(existing) !== undefined) return 'replaced';
    if (ifExists === 'skip') return 'skipped';
    if (ifExists === 'raise') throw conflict(`Thread '${thread_id}' already exists.`);
    await this.#options.threads.delete(thread_id);
    return 'replaced';
  }

  /**
   * Completes an import: lets the graph read the newest state, and stores its values in the thread's row.
   * @throws Refused as stale if the thread has changed in the meantime, HttpError 409 if another import has
   * finished it, or 422 if no graph here can read the state.
   */
  async #finish(threadId: string, began: Unfinished): Promise<void> {
    const { becomes } = began;
    const { states, runtime } = this.#options;
    const row = await this.#options.threads.require(threadId);
    if (!isOf(began, row)) throw conflict(`Thread '${threadId}' is not being imported.`);
    const newest = await this.#readNewestMetadata(threadId);
    const metadata = JsonObject.parse(JSON.parse(row.metadata));
    const graphId = metadata.graph_id ?? newest?.graph_id;
    const isServed = typeof graphId === 'string' && runtime.project?.graphs[graphId] !== undefined;
    const asArchived = {
      status: becomes.status,
      error: becomes.error == null ? null : JSON.stringify(becomes.error),
    };
    if (newest !== undefined && typeof graphId === 'string' && isServed) {
      const { state_updated_at: _, ...summary } = await states
        .readSummary(threadId, graphId)
        .catch((error: unknown) => {
          if (mayPass(error)) throw error;
          throw new HttpError(
            422,
            `Graph '${graphId}' cannot read thread '${threadId}': ${messageOf(error)}`,
          );
        });
      const changes = becomes.status === 'error' ? { ...summary, ...asArchived } : summary;
      return this.#complete(
        row,
        changes,
        metadata.graph_id === undefined ? { ...metadata, graph_id: graphId } : undefined,
      );
    }
    if (newest !== undefined && row.values === null) {
      throw new HttpError(
        422,
        `Graph '${String(graphId)}' of thread '${threadId}' is not available here, so its state cannot be read.`,
      );
    }
    return this.#complete(row, asArchived);
  }

  /** The metadata of a thread's newest checkpoint; undefined if the thread has no state. */
  async #readNewestMetadata(threadId: string): Promise<JsonObject | undefined> {
    const newest = await this.#options.db
      .selectFrom('checkpoints')
      .select(['metadata'])
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', '')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return newest && JsonObject.parse(JSON.parse(newest.metadata));
  }

  /**
   * Changes the row of an unfinished thread.
   * @throws Refused as stale if its error has changed in the meantime.
   */
  #complete(row: ThreadRow, changes: Updateable<ThreadTable>, metadata?: JsonObject): Promise<void> {
    const { db, store } = this.#options;
    return db.commit((unit) => {
      if (metadata !== undefined) store.setMetadata(unit, row, metadata);
      const change = unit.build
        .updateTable('threads')
        .set(changes)
        .where('thread_id', '=', row.thread_id)
        .where('error', '=', row.error);
      unit.expect(change, 'stale');
    }, row.thread_id);
  }
}

/** Whether an error has nothing to do with the thread, so that the same request may succeed later. */
function mayPass(error: unknown): boolean {
  const known = error instanceof HttpError ? error : storageProblem(error);
  return known !== undefined && known.status >= 500;
}

/**
 * Refuses pickles, because unpickling executes code, and anyone may have made the archive.
 * @throws HttpError 422
 */
function refusePickles(records: readonly ArchivedRecord[]): void {
  const at = records.findIndex((record) =>
    /pickle/i.test(record.kind === 'checkpoint' ? record.checkpoint.type : record.value.type),
  );
  if (at !== -1)
    throw invalid(
      ['body', 'records', at],
      'Pickled values cannot be imported, because reading them executes code.',
    );
}

function toArchived(row: ThreadRow): ArchivedThread {
  return {
    thread_id: row.thread_id,
    status: row.status,
    metadata: JsonObject.parse(JSON.parse(row.metadata)),
    config: JsonObject.parse(JSON.parse(row.config)),
    ...(row.values === null ? {} : { values: JSON.parse(row.values) }),
    interrupts: JsonObject.parse(JSON.parse(row.interrupts)),
    error: row.error === null ? null : JSON.parse(row.error),
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at,
  };
}

/** The status of a thread after the import. Runs are not imported, so none can be in progress. */
function finalStatus({ status, error }: ArchivedThread): Unfinished['becomes'] {
  return { status: status === 'busy' ? 'idle' : status, error: error ?? null };
}

/** Whether this import has begun the thread, and has not finished it. */
function isOf({ import_id }: Unfinished, row: ThreadRow): boolean {
  const unfinished = unfinishedOf(row);
  return unfinished !== undefined && unfinished.import_id === import_id;
}

/** The error of a thread that has been imported only in part; undefined for any other thread. */
function unfinishedOf({ error }: ThreadRow): Unfinished | undefined {
  return error === null ? undefined : Unfinished.safeParse(JSON.parse(error)).data;
}

/** A time in the format of rows: in UTC with milliseconds, so that sorting as text sorts by time. */
function utc(time: string): string {
  return new Date(time).toISOString();
}
