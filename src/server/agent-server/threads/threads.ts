import type { z } from 'zod';
import type { CheckpointConfig, ThreadCreate, ThreadPatch } from '../../../contract/agent-server/threads.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type { StateUpdate } from '../../../runtime/protocol/protocol.ts';
import { badRequest, conflict, notFound } from '../../http/errors.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { readStoredObject } from '../../storage/stored-json.ts';
import type { RoomOptions } from '../agent-server-options.ts';
import { type Filters, matchesFilters } from '../auth/filters.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import { copyCheckpoints } from '../data/checkpoints/copy-thread.ts';
import { isNotShared } from '../data/checkpoints/shared-rows.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { deleteContents, PARTLY_DELETED } from '../data/delete-in-slices.ts';
import { lookAndWrite } from '../data/look-and-write.ts';
import { newId } from '../data/new-id.ts';
import { expiry, type ThreadRow, type ThreadStore } from '../data/thread-store.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import type { RunScheduler } from '../runs/run-scheduler.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadStates } from '../states/thread-states.ts';

export interface ThreadsOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly store: ThreadStore;
  readonly states: ThreadStates;
  readonly checkpoints: CheckpointStore;
  readonly runs: Pick<Runs, 'listUnfinished'>;
  readonly scheduler: RunScheduler;
  readonly changes: DeploymentChanges;
  readonly room: Pick<RoomOptions, 'checkThreads'>;
}

/** Threads of one deployment. Each has a state, which every run on the thread continues. */
export class Threads {
  readonly #options: ThreadsOptions;
  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  find(threadId: string): Promise<ThreadRow | undefined> {
    return this.#options.store.find(threadId);
  }

  /** @throws HttpError 404 */
  async require(threadId: string): Promise<ThreadRow> {
    const row = await this.find(threadId);
    if (row === undefined) throw notFound('Thread', threadId);
    return row;
  }

  /**
   * Creates a thread, with a state if the request has supersteps.
   * @throws HttpError 409 for an existing ID, 400 for supersteps without a graph to apply them to, 429
   * without room.
   */
  create(request: z.output<typeof ThreadCreate>): Promise<ThreadRow> {
    const threadId = request.thread_id ?? newId();
    return lookAndWrite(async () => {
      const existing = request.thread_id == null ? undefined : await this.#findAnywhere(threadId);
      if (existing === undefined) return this.#create(threadId, request);
      if (request.if_exists === 'do_nothing' && existing.deployment_id === this.#options.store.deploymentId)
        return existing;
      throw conflict(`Thread '${threadId}' already exists.`);
    });
  }

  /** @throws HttpError 429 if the workspace may not have another thread. */
  checkRoom(): Promise<void> {
    return this.#options.room.checkThreads();
  }

  /** The thread with this ID, in any deployment. */
  #findAnywhere(threadId: string): Promise<ThreadRow | undefined> {
    return this.#options.db
      .selectFrom('threads')
      .selectAll()
      .where('thread_id', '=', threadId)
      .executeTakeFirst();
  }

  async #create(threadId: string, request: z.output<typeof ThreadCreate>): Promise<ThreadRow> {
    const { queue, store, states } = this.#options;
    const supersteps = request.supersteps ?? [];
    if (supersteps.length > 0 && typeof request.metadata.graph_id !== 'string') {
      throw badRequest('A thread created with supersteps needs metadata.graph_id.');
    }
    await this.checkRoom();
    const row = { ...store.makeRow(threadId, request.metadata), ...ttlColumns(request.ttl) };
    await queue.write(threadId, (unit) => store.insert(unit, row));
    if (supersteps.length > 0) {
      try {
        await states.update(
          await this.require(threadId),
          supersteps.map(({ updates }) => updates.map(toUpdate)),
        );
      } catch (error) {
        await queue.write(threadId, (unit) => store.delete(unit, threadId));
        throw error;
      }
    }
    this.#publishChange('created', threadId);
    return supersteps.length > 0 ? this.require(threadId) : row;
  }

  /** Merges metadata, and sets the time to live. @throws HttpError 404 */
  async update(threadId: string, patch: z.output<typeof ThreadPatch>): Promise<ThreadRow> {
    const { db, store } = this.#options;
    await lookAndWrite(async () => {
      const seen = await this.require(threadId);
      await db.commit((unit) => {
        if (patch.metadata != null) {
          store.setMetadata(unit, seen, { ...readStoredObject(seen.metadata), ...patch.metadata });
        }
        unit.expect(
          unit.build
            .updateTable('threads')
            .set({ updated_at: new Date().toISOString(), ...ttlColumns(patch.ttl) })
            .where('thread_id', '=', threadId),
          'stale',
        );
      }, threadId);
    });
    this.#publishChange('updated', threadId);
    return this.require(threadId);
  }

  /**
   * Applies updates to the state at the newest or the given checkpoint.
   * @returns the new checkpoint.
   * @throws HttpError 409 while the thread has unfinished runs, 400 for an update that the graph refuses.
   */
  async updateState(threadId: string, updates: StateUpdate[], checkpoint: CheckpointConfig | undefined) {
    const { runs, states } = this.#options;
    const thread = await this.require(threadId);
    if ((await runs.listUnfinished(threadId)).length > 0) {
      throw conflict(
        'Thread is running a task. Update its state when the run has ended, or cancel the run first.',
      );
    }
    const updated = await states.update(thread, [updates], checkpoint);
    this.#publishChange('updated', threadId);
    return updated;
  }

  /** Deletes a thread with its state and runs; unfinished runs are canceled first. @throws HttpError 404 */
  async delete(threadId: string): Promise<void> {
    if ((await this.#deleteIfKnown(threadId)) === 'unknown') throw notFound('Thread', threadId);
  }

  /**
   * Deletes a thread.
   * @returns `deleted` for one of several requests that delete it at the same time, `gone` for the others,
   * and `unknown` if there was no such thread.
   */
  async #deleteIfKnown(threadId: string): Promise<'deleted' | 'gone' | 'unknown'> {
    const { db, queue, store, runs, scheduler } = this.#options;
    if ((await this.find(threadId)) === undefined) return 'unknown';
    const unfinished = await runs.listUnfinished(threadId);
    await Promise.all(
      unfinished.toReversed().map((run) => scheduler.cancel(run, 'interrupt', 'thread deleted')),
    );
    await Promise.all(unfinished.map((run) => run.outcome));
    const deleted = lookAndWrite(async () => {
      await deleteContents(db, threadId);
      await queue.write(threadId, (unit) => {
        unit.expect(isNotShared, { thread_id: threadId }, 'stale');
        store.deleteExisting(unit, threadId);
      });
    }, PARTLY_DELETED);
    const wasFirst = await deleted.then(
      () => true,
      (error: unknown) => {
        if (!isRefused(error, 'gone')) throw error;
        return false;
      },
    );
    if (!wasFirst) return 'gone';
    this.#publishChange('deleted', threadId);
    return 'deleted';
  }

  /** Deletes the threads last used by an assistant, if they match the filters. */
  async deleteByAssistant(assistantId: string, filters: Filters): Promise<void> {
    const { db, store } = this.#options;
    const rows = await db
      .selectFrom('threads')
      .innerJoin('thread_metadata', 'thread_metadata.thread_id', 'threads.thread_id')
      .select(['threads.thread_id', 'threads.metadata'])
      .where('thread_metadata.deployment_id', '=', store.deploymentId)
      .where('thread_metadata.key', '=', 'assistant_id')
      .where('thread_metadata.value', '=', JSON.stringify(assistantId))
      .execute();
    const chosen = rows.filter(({ metadata }) => matchesFilters(readStoredObject(metadata), filters));
    await Promise.all(chosen.map(({ thread_id }) => this.#deleteIfKnown(thread_id)));
  }

  /**
   * Creates an independent thread with the current history, values and status of another one.
   * @param added metadata of the copy in addition to that of its source.
   * @throws HttpError 404
   */
  async copy(threadId: string, added: JsonObject = {}): Promise<ThreadRow> {
    const { db, store } = this.#options;
    await this.checkRoom();
    const copyId = newId();
    // The copy is queued among the writes of the source, so that it has the state of the source at a single
    // moment.
    const copied = db.commit((unit) => {
      store.copy(unit, threadId, copyId);
      copyCheckpoints(unit, threadId, copyId);
    }, threadId);
    await copied.catch((error: unknown) => {
      throw isRefused(error, 'gone') ? notFound('Thread', threadId) : error;
    });
    this.#publishChange('created', copyId);
    return Object.keys(added).length === 0 ? this.require(copyId) : this.update(copyId, { metadata: added });
  }

  /**
   * Deletes threads, or all but their newest state. Unknown IDs are ignored.
   * @returns the number of known threads.
   */
  async prune(threadIds: readonly string[], strategy: 'delete' | 'keep_latest'): Promise<number> {
    let pruned = 0;
    for (const threadId of threadIds) {
      const wasKnown =
        strategy === 'delete'
          ? (await this.#deleteIfKnown(threadId)) === 'deleted'
          : await this.#keepLatest(threadId);
      if (wasKnown) pruned++;
    }
    return pruned;
  }

  /** Deletes all but the newest state of a thread. @returns whether the thread is known. */
  async #keepLatest(threadId: string): Promise<boolean> {
    if ((await this.find(threadId)) === undefined) return false;
    await this.#options.checkpoints.keepLatest(threadId);
    this.#publishChange('updated', threadId);
    return true;
  }

  #publishChange(action: 'created' | 'updated' | 'deleted', id: string): void {
    this.#options.changes.publish('thread', action, id);
    if (action !== 'updated') this.#options.db.bus.hint(`thread:${id}`);
  }
}

/** The columns that a request's time to live sets; none if the request has none. */
export function ttlColumns(ttl: z.output<typeof ThreadPatch>['ttl']) {
  return ttl?.ttl == null ? {} : expiry({ strategy: ttl.strategy, minutes: ttl.ttl });
}

/** An update of a request, as the runtime takes it. */
export function toUpdate(update: {
  values?: unknown;
  command?: object | null | undefined;
  as_node: string;
}): StateUpdate {
  return { values: update.values, command: update.command ?? null, as_node: update.as_node };
}
