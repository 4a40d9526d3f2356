import { sql, type Transaction, type Updateable, type UpdateObject } from 'kysely';
import type { ChangeFeed } from '../../http/change-feed.ts';
import { conflict } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema, ThreadTable } from '../../storage/state-schema.ts';
import type { CheckpointStore } from '../checkpoints/checkpoint-store.ts';
import type { CommitQueue, Write } from '../commit-queue.ts';
import { renewedExpiry, type ThreadStore } from '../threads/thread-store.ts';
import { type CancelAction, LiveRun, type RunIdentity, type RunOutcome } from './live-run.ts';
import type { ExecutionResult, RunExecution } from './run-execution.ts';
import { RunKwargs } from './run-kwargs.ts';
import { failureResult, outcomeOf } from './run-outcome.ts';
import type { RunRow, RunStore } from './run-store.ts';
import { RunStream } from './run-stream.ts';

const MOST_ATTEMPTS = 3;
const LEASE_MS = 60_000;
const MINUTE_MS = 60_000;
/** How long after its end the events of a run's stream are kept, so that readers can rejoin. */
const EVENTS_KEPT_MS = 10 * MINUTE_MS;

export interface RunSchedulerOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly deploymentId: string;
  readonly workspaceId: string;
  /** Names this server process in the leases it takes. */
  readonly serverId: string;
  readonly threads: ThreadStore;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly execution: RunExecution;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** Runs at once in this deployment. */
  readonly concurrency: number;
  /** Whether runs cut off by a crash continue from their last checkpoint; they end as errors otherwise. */
  readonly continueAfterCrash: boolean;
  /** Reads a thread's newest state from its checkpoints, for threads whose last run was undone. */
  readState(threadId: string, graphId: string): Promise<Updateable<ThreadTable>>;
  /** Told of every run that was accepted and of every end, after it is stored. */
  onChange(threadId: string): void;
  /** Writes what must be stored together with the end of a run, such as the webhook that tells of it. */
  onEnd(transaction: Transaction<StateSchema>, run: LiveRun, outcome: RunOutcome): Promise<void>;
}

/**
 * Accepts runs, starts them in order, one at a time a thread, and stores how they end.
 * A run is a row before anybody is told it exists; its end is stored before its stream closes.
 */
export class RunScheduler {
  readonly #options: RunSchedulerOptions;
  readonly #byId = new Map<string, LiveRun>();
  /** Runs of a thread that have not ended, in the order they will run. */
  readonly #byThread = new Map<string, LiveRun[]>();
  /** Heads of their threads that wait for a place. */
  readonly #ready: LiveRun[] = [];
  #running = 0;
  readonly #leases: NodeJS.Timeout;
  #closed = false;

  constructor(options: RunSchedulerOptions) {
    this.#options = options;
    this.#leases = setInterval(() => void this.#renewLeases(), LEASE_MS / 3).unref();
  }

  /** Whether anything runs or waits. */
  get busy(): boolean {
    return this.#byId.size > 0;
  }

  find(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  onThread(threadId: string): readonly LiveRun[] {
    return this.#byThread.get(threadId) ?? [];
  }

  all(): readonly LiveRun[] {
    return [...this.#byId.values()];
  }

  /**
   * Stores a run and starts it when its turn comes.
   * @param prepareThread writes the thread's row in the same transaction: a new one, or changed metadata.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  async accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { threadId, multitaskStrategy } = identity;
    const others = this.onThread(threadId);
    if (others.length > 0 && multitaskStrategy === 'reject') {
      throw conflict(
        'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
      );
    }
    const run = this.#admit(identity, 0, 0);
    const startsNow =
      others.length === 0 && identity.startAfter <= Date.now() && this.#running < this.#options.concurrency;
    if (startsNow) this.#take(run);
    const metadataEvent = startsNow ? run.stream.prepare([metadataOf(run)]) : undefined;
    try {
      await this.#options.queue.write(async (transaction) => {
        await prepareThread(transaction);
        await this.#options.runs.insert(transaction, this.#newRow(run));
        if (metadataEvent !== undefined)
          await transaction.insertInto('run_events').values(metadataEvent.row).execute();
      });
    } catch (error) {
      if (startsNow) this.#running--;
      this.#remove(run);
      throw error;
    }
    if (multitaskStrategy === 'interrupt' || multitaskStrategy === 'rollback') {
      for (const other of [...others]) if (other !== run) this.cancel(other, multitaskStrategy, undefined);
    }
    this.#changed('run', 'created', run.identity.runId);
    this.#changed('thread', 'updated', threadId);
    this.#options.onChange(threadId);
    if (metadataEvent !== undefined) {
      run.stream.publish(metadataEvent.events);
      void this.#execute(run);
    } else {
      this.#schedule(threadId);
    }
    return run;
  }

  /**
   * Goes on with what a server that died has left behind: waiting runs wait again, running ones are started again.
   */
  async recover(): Promise<void> {
    const { runs, db, queue, continueAfterCrash, logger } = this.#options;
    for (const row of await runs.unfinished()) {
      const run = this.#admit(identityOf(row), row.attempt, await runs.lastEvent(row.run_id), row.created_at);
      run.startedAt = row.started_at ?? undefined;
      const cutOff = row.status === 'running';
      if (cutOff && (!continueAfterCrash || row.attempt >= MOST_ATTEMPTS)) {
        await this.#finish(run, { status: 'lost', state: null });
        continue;
      }
      if (cutOff) {
        logger.info({ run_id: row.run_id, attempt: row.attempt + 1 }, 'continuing a run that was cut off');
        await queue.write((transaction) => runs.update(transaction, row.run_id, { status: 'pending' }));
      }
    }
    // A run that had ended left its thread's row in the same transaction, so no thread stays busy without a run.
    await db
      .updateTable('threads')
      .set({ status: 'idle' })
      .where('deployment_id', '=', this.#options.deploymentId)
      .where('status', '=', 'busy')
      .where('thread_id', 'not in', [...this.#byThread.keys(), ''])
      .execute();
    for (const threadId of this.#byThread.keys()) this.#schedule(threadId);
  }

  /** Stops a run; one that has not started ends at once. Its outcome says when it has ended. */
  cancel(run: LiveRun, action: CancelAction, reason: string | undefined): void {
    if (run.cancelled !== undefined && (run.cancelled.action === action || action === 'interrupt')) return;
    run.cancelled = { action, reason };
    if (run.state === 'running') this.#options.execution.cancel(run);
    else void this.#finish(run, { status: 'cancelled', state: null });
  }

  /** Runs are not started any more; those that run are left as they are, for the next start to continue. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#leases);
  }

  #admit(identity: RunIdentity, attempt: number, lastSeq: number, acceptedAt?: string): LiveRun {
    const stream = new RunStream(identity.runId, this.#options.db, this.#options.queue, lastSeq);
    const run = new LiveRun(identity, stream, attempt, acceptedAt);
    this.#byId.set(identity.runId, run);
    const line = this.#byThread.get(identity.threadId);
    if (line === undefined) this.#byThread.set(identity.threadId, [run]);
    else line.push(run);
    return run;
  }

  #remove(run: LiveRun): void {
    const { runId, threadId } = run.identity;
    this.#byId.delete(runId);
    const line = this.#byThread.get(threadId)?.filter((other) => other !== run) ?? [];
    if (line.length === 0) this.#byThread.delete(threadId);
    else this.#byThread.set(threadId, line);
    const at = this.#ready.indexOf(run);
    if (at !== -1) this.#ready.splice(at, 1);
  }

  /** Lets the first run of a thread wait for a place, as soon as its time has come. */
  #schedule(threadId: string): void {
    const head = this.#byThread.get(threadId)?.[0];
    if (head === undefined || head.state === 'running' || this.#ready.includes(head)) return;
    const wait = head.identity.startAfter - Date.now();
    if (wait > 0) {
      setTimeout(() => this.#schedule(threadId), Math.min(wait, 2 ** 31 - 1)).unref();
      return;
    }
    this.#ready.push(head);
    this.#pump();
  }

  #pump(): void {
    while (!this.#closed && this.#running < this.#options.concurrency) {
      const run = this.#ready.shift();
      if (run === undefined) return;
      this.#take(run);
      void this.#start(run);
    }
  }

  #take(run: LiveRun): void {
    this.#running++;
    run.state = 'running';
    run.startedAt ??= new Date().toISOString();
    run.attempt++;
  }

  /** Stores that a waiting run, or another attempt, begins; then executes it. */
  async #start(run: LiveRun): Promise<void> {
    const { runs, queue } = this.#options;
    const { events, row } = run.stream.prepare([metadataOf(run)]);
    try {
      await queue.write(async (transaction) => {
        await runs.update(transaction, run.identity.runId, {
          status: 'running',
          attempt: run.attempt,
          started_at: run.startedAt,
          ...this.#lease(),
        });
        await transaction.insertInto('run_events').values(row).execute();
      });
    } catch (error) {
      run.storageFailure = error;
    }
    run.stream.publish(events);
    await this.#execute(run);
  }

  async #execute(run: LiveRun): Promise<void> {
    const result: ExecutionResult =
      run.storageFailure === undefined
        ? await this.#options.execution.execute(run).catch((error: unknown) => failureResult(error))
        : failureResult(run.storageFailure);
    const unwanted = run.cancelled !== undefined || run.timedOut;
    const again = result.status === 'lost' && !unwanted && run.attempt < MOST_ATTEMPTS;
    if (again && this.#options.continueAfterCrash && !this.#closed) {
      run.attempt++;
      return this.#start(run);
    }
    if (result.status === 'lost' && this.#closed) return;
    await this.#finish(run, result);
    this.#running--;
    this.#pump();
  }

  /** Stores how a run ended, with its last events and its thread's new state, then tells everybody. */
  async #finish(run: LiveRun, result: ExecutionResult): Promise<void> {
    const { identity } = run;
    const outcome = outcomeOf(run, result);
    const undo = run.cancelled?.action === 'rollback';
    const closing: [string, string][] = [];
    if (identity.kwargs.feedback) closing.push(['feedback', JSON.stringify(identity.kwargs.feedback)]);
    if (outcome.error !== undefined) closing.push(['error', JSON.stringify(outcome.error)]);
    const last = closing.length === 0 ? undefined : run.stream.prepare(closing);
    const temporary = identity.stateless && identity.kwargs.on_completion !== 'keep';
    // Whoever is still behind reads from what is stored: then the thread goes when the stream's events do.
    const discard = temporary && !run.stream.isReadFromStorage;
    const now = new Date();
    try {
      await this.#options.queue.write(async (transaction) => {
        await this.#options.onEnd(transaction, run, outcome);
        if (discard) return this.#options.threads.delete(transaction, identity.threadId);
        if (undo) return this.#undo(transaction, run);
        const expiry = new Date(now.getTime() + EVENTS_KEPT_MS).toISOString();
        await this.#options.runs.update(transaction, identity.runId, {
          status: outcome.status,
          ended_at: now.toISOString(),
          events_expire_at: expiry,
          lease_owner: null,
          lease_expires_at: null,
          error: outcome.error === undefined ? null : JSON.stringify(outcome.error),
          cancel_reason: run.cancelled?.reason ?? null,
        });
        if (last !== undefined) await transaction.insertInto('run_events').values(last.row).execute();
        await transaction
          .updateTable('threads')
          .set({
            ...this.#threadAfter(run, result, outcome),
            ...(temporary ? { ttl_strategy: 'delete' as const, ttl_minutes: 0, expires_at: expiry } : {}),
          })
          .where('thread_id', '=', identity.threadId)
          .execute();
      });
      if (undo && !discard) await this.#restoreThread(run);
    } catch (error) {
      // The row still says "running": the next start of the server continues or ends it.
      this.#options.logger.error(
        { run_id: identity.runId, err: error },
        'the end of a run could not be stored',
      );
    }
    this.#remove(run);
    if (last !== undefined) run.stream.publish(last.events);
    run.settle(outcome);
    this.#options.onChange(identity.threadId);
    this.#changed('run', discard || undo ? 'deleted' : 'updated', identity.runId);
    this.#changed('thread', discard ? 'deleted' : 'updated', identity.threadId);
    this.#schedule(identity.threadId);
  }

  async #undo(transaction: Transaction<StateSchema>, run: LiveRun): Promise<void> {
    await this.#options.checkpoints.deleteRun(transaction, run.identity.threadId, run.identity.runId);
    await this.#options.runs.delete(transaction, run.identity.runId);
  }

  async #restoreThread(run: LiveRun): Promise<void> {
    const { threadId, graphId } = run.identity;
    const state = await this.#options.readState(threadId, graphId);
    const others = this.onThread(threadId).length > 1;
    await this.#options.db
      .updateTable('threads')
      .set({ ...state, ...(others ? { status: 'busy' as const } : {}), updated_at: new Date().toISOString() })
      .where('thread_id', '=', threadId)
      .execute();
  }

  #threadAfter(
    run: LiveRun,
    result: ExecutionResult,
    outcome: RunOutcome,
  ): UpdateObject<StateSchema, 'threads'> {
    const now = new Date().toISOString();
    const othersWait = this.onThread(run.identity.threadId).length > 1;
    const settled =
      outcome.error !== undefined ? 'error' : (result.state?.next.length ?? 0) > 0 ? 'interrupted' : 'idle';
    return {
      status: othersWait ? 'busy' : settled,
      updated_at: now,
      error: outcome.error === undefined ? null : JSON.stringify(outcome.error),
      expires_at: renewedExpiry(now),
      ...(result.state === null
        ? {}
        : { values: result.state.values, interrupts: result.state.interrupts, state_updated_at: now }),
    };
  }

  #newRow(run: LiveRun) {
    const { identity } = run;
    const now = run.acceptedAt;
    return {
      run_id: identity.runId,
      thread_id: identity.threadId,
      deployment_id: this.#options.deploymentId,
      assistant_id: identity.assistantId,
      graph_id: identity.graphId,
      status: run.state,
      metadata: JSON.stringify(identity.metadata),
      kwargs: JSON.stringify(identity.kwargs),
      multitask_strategy: identity.multitaskStrategy,
      attempt: run.attempt,
      stateless: identity.stateless,
      thread_order: sql<number>`(select run_count from threads where thread_id = ${identity.threadId})`,
      started_at: run.startedAt ?? null,
      start_after: identity.startAfter > 0 ? new Date(identity.startAfter).toISOString() : null,
      error: null,
      cancel_reason: null,
      created_at: now,
      updated_at: now,
      ...(run.state === 'running' ? this.#lease() : { lease_owner: null, lease_expires_at: null }),
    };
  }

  #lease() {
    return {
      lease_owner: this.#options.serverId,
      lease_expires_at: new Date(Date.now() + LEASE_MS).toISOString(),
    };
  }

  async #renewLeases(): Promise<void> {
    const running = this.all().filter((run) => run.state === 'running');
    if (running.length === 0) return;
    await this.#options.db
      .updateTable('runs')
      .set({ lease_expires_at: new Date(Date.now() + LEASE_MS).toISOString() })
      .where(
        'run_id',
        'in',
        running.map((run) => run.identity.runId),
      )
      .execute()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'leases could not be renewed'));
  }

  #changed(resource: 'run' | 'thread', action: 'created' | 'updated' | 'deleted', id: string): void {
    const { changes, workspaceId, deploymentId } = this.#options;
    changes.publish(workspaceId, { resource, action, id, deployment_id: deploymentId });
  }
}

function metadataOf(run: LiveRun): [string, string] {
  return ['metadata', JSON.stringify({ run_id: run.identity.runId, attempt: run.attempt })];
}

function identityOf(row: RunRow): RunIdentity {
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    assistantId: row.assistant_id,
    graphId: row.graph_id,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    kwargs: RunKwargs.parse(JSON.parse(row.kwargs)),
    multitaskStrategy: row.multitask_strategy,
    stateless: row.stateless !== 0,
    startAfter: row.start_after === null ? 0 : Date.parse(row.start_after),
  };
}
