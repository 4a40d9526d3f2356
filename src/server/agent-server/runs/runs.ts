import type { Run, RunStatus } from '../../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { JsonText } from '../../http/reply.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { readStoredObject } from '../../storage/stored-json.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { deleteEvents } from '../data/delete-in-slices.ts';
import type { RunRow, RunStore } from '../data/run-store.ts';
import type { CancelAction, LiveRun, RunOutcome } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { RunResults } from './run-results.ts';
import type { RunScheduler } from './run-scheduler.ts';
import type { RunSharing } from './run-sharing.ts';
import { RunStream } from './run-stream.ts';

export interface RunsOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly store: RunStore;
  readonly results: Pick<RunResults, 'read' | 'readValues'>;
  readonly sharing: RunSharing | undefined;
  readonly live: LiveRuns;
  readonly scheduler: RunScheduler;
  readonly checkpoints: CheckpointStore;
  readonly deploymentId: string;
}

/** Reads and joins runs, cancels unfinished ones, and deletes ended ones. */
export class Runs {
  readonly #options: RunsOptions;
  constructor(options: RunsOptions) {
    this.#options = options;
  }

  find(runId: string): Promise<RunRow | undefined> {
    return this.#options.store.find(runId);
  }

  /** The unfinished run of a row, on this or another server; undefined if it has ended. */
  async findLive(row: RunRow): Promise<LiveRun | undefined> {
    const { live, sharing } = this.#options;
    const run = live.find(row.run_id);
    if (run !== undefined || sharing === undefined || row.ended_at !== null) return run;
    return sharing.follow(row);
  }

  /** The unfinished runs of a thread, in the order in which they were accepted. */
  async listUnfinished(threadId: string): Promise<readonly LiveRun[]> {
    const { live, sharing } = this.#options;
    if (sharing === undefined) return [...live.onThread(threadId)];
    return this.#followAll(await sharing.listAll(threadId));
  }

  async #followAll(rows: readonly RunRow[]): Promise<LiveRun[]> {
    const runs = await Promise.all(rows.map((row) => this.findLive(row)));
    return runs.filter((run) => run !== undefined);
  }

  /** Finds a run. @throws HttpError 404 if it does not exist, or is on another thread. */
  async require(runId: string, threadId?: string): Promise<RunRow> {
    const row = await this.#options.store.find(runId);
    if (row === undefined || (threadId !== undefined && row.thread_id !== threadId))
      throw notFound('Run', runId);
    return row;
  }

  async list(
    threadId: string,
    page: { limit: number; offset: number; status?: RunStatus | undefined },
  ): Promise<Run[]> {
    let query = this.#options.db
      .selectFrom('runs')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where('deployment_id', '=', this.#options.deploymentId);
    if (page.status !== undefined) query = query.where('status', '=', page.status);
    const rows = await query
      .orderBy('created_at', 'desc')
      .orderBy('run_id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map(toRun);
  }

  /** The unfinished runs whose metadata contains the given one. */
  listUnfinishedWith(metadata: JsonObject): Promise<RunRow[]> {
    return this.#options.store.listUnfinishedWith(metadata);
  }

  /** The stream of a run, which is read from storage if the run has ended. */
  async stream(row: RunRow): Promise<RunStream> {
    const live = await this.findLive(row);
    if (live !== undefined) return live.stream;
    const { db, queue, store } = this.#options;
    const ended = new RunStream(row, { db, queue }, await store.findLastEvent(row.run_id));
    ended.end();
    return ended;
  }

  /**
   * Waits until a run has ended.
   * @returns the response for clients; see `waitResult`.
   * @throws the errors of `RunResults.read`.
   */
  async waitForResult(row: RunRow): Promise<JsonText> {
    const live = await this.findLive(row);
    if (live !== undefined) return waitResult(await live.outcome);
    return waitResult(await this.#options.results.read(row));
  }

  /** See `RunResults.readValues`. @param row a run that has ended. */
  readValues(row: RunRow): Promise<string | undefined> {
    return this.#options.results.readValues(row);
  }

  /**
   * Cancels a run that has not ended.
   * @returns the run in a list, once its cancellation is stored; an empty list if it has ended.
   */
  async cancel(row: RunRow, action: CancelAction, reason: string | undefined): Promise<readonly LiveRun[]> {
    const live = await this.findLive(row);
    if (live === undefined) return [];
    await this.#options.scheduler.cancel(live, action, reason);
    return [live];
  }

  /**
   * Cancels the runs that match all given conditions.
   * @returns these runs, once their cancellation is stored.
   */
  async cancelMany(
    filter: {
      runIds?: readonly string[] | undefined;
      threadId?: string | undefined;
      status: 'pending' | 'running' | 'all';
    },
    action: CancelAction,
    reason: string | undefined,
  ): Promise<readonly LiveRun[]> {
    const { live, scheduler, sharing } = this.#options;
    const isChosen = (runId: string, threadId: string, status: RunStatus) =>
      (filter.runIds === undefined || filter.runIds.includes(runId)) &&
      (filter.threadId === undefined || threadId === filter.threadId) &&
      (filter.status === 'all' || status === filter.status);
    const chosen =
      sharing === undefined
        ? live.all().filter(({ identity, state }) => isChosen(identity.runId, identity.threadId, state))
        : await this.#followAll(
            // A run of this server may have started since its row was read. For runs of other servers, the
            // row decides.
            (await sharing.listAll(filter.threadId)).filter((row) =>
              isChosen(row.run_id, row.thread_id, live.find(row.run_id)?.state ?? row.status),
            ),
          );
    await Promise.all(chosen.map((run) => scheduler.cancel(run, action, reason)));
    return chosen;
  }

  /** Deletes an ended run with its events. @throws HttpError 409 if the run has not ended. */
  async delete(row: RunRow): Promise<void> {
    if ((await this.findLive(row)) !== undefined) {
      throw conflict(`Run '${row.run_id}' has not ended. Cancel it first.`);
    }
    const { db, queue, store } = this.#options;
    await deleteEvents(db, row.run_id, row.thread_id);
    await queue.write(row.thread_id, (unit) => store.delete(unit, row.run_id));
  }
}

/**
 * The response for clients that wait for a run: its final values, or `{__error__: {error, message}}`, which
 * they raise.
 */
export function waitResult(outcome: RunOutcome): JsonText {
  if (outcome.error !== undefined) return new JsonText(JSON.stringify({ __error__: outcome.error }));
  return new JsonText(outcome.values ?? '{}');
}

/** A run in the wire format. */
export function toRun(row: RunRow): Run {
  return {
    run_id: row.run_id,
    thread_id: row.thread_id,
    assistant_id: row.assistant_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
    metadata: readStoredObject(row.metadata),
    kwargs: readStoredObject(row.kwargs),
    multitask_strategy: row.multitask_strategy,
    ...(row.revision_id === null ? {} : { revision_id: row.revision_id }),
    ...(row.cancel_reason === null ? {} : { cancel_reason: row.cancel_reason }),
  };
}
