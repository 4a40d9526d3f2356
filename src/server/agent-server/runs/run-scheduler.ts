import { conflict } from '../../http/errors.ts';
import type { StateNow } from '../../storage/state-database.ts';
import type { CommitQueue, Write } from '../commit-queue.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import { type CancelAction, type Cancelled, LiveRun, type RunIdentity, type RunOutcome } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import { RunEnding, type RunEndingOptions } from './run-ending.ts';
import type { ExecutionResult, RunExecution } from './run-execution.ts';
import { RunLeases } from './run-leases.ts';
import { countLosses, MAX_LOSSES } from './run-losses.ts';
import { failureResult } from './run-outcome.ts';
import { countAnotherRun, insertEvents, insertRun, startRun, takeNewestPlace } from './run-queries.ts';
import { newRow } from './run-rows.ts';
import { RunStream } from './run-stream.ts';
import { unfinishedRuns } from './unfinished-runs.ts';

export interface RunSchedulerOptions extends RunEndingOptions {
  readonly queue: CommitQueue;
  readonly deploymentId: string;
  /** Names this server process in the leases it takes. */
  readonly serverId: string;
  readonly execution: RunExecution;
  readonly changes: DeploymentChanges;
  /** Runs at once in this deployment. */
  readonly concurrency: number;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
  /** Called when a run was accepted, a delayed one started, or one ended, after it is stored. */
  onChange(threadId: string): void;
  /** Called when the end of a run is stored. */
  onEnded(outcome: RunOutcome): void;
  /** Called when a run has ended whose process was lost; its last attempt started at `startedAt`. */
  onCutOff(run: LiveRun, ended: { lost: boolean; startedAt: Date }): void;
}

/**
 * Accepts runs, executes them in order, one at a time per thread, and reports how they end.
 * A run is stored before it is acknowledged, and its end before its stream closes.
 */
export class RunScheduler {
  readonly #options: RunSchedulerOptions;
  readonly #live: LiveRuns;
  readonly #ending: RunEnding;
  readonly #leases: RunLeases;
  /** First runs of their threads that wait for a slot. */
  readonly #ready: LiveRun[] = [];
  /** Work on runs that have started. */
  readonly #executing = new Map<LiveRun, Promise<void>>();
  #running = 0;
  /** Runs waiting for their own calls to this server, with the number of calls. They release their slots meanwhile. */
  readonly #lent = new Map<LiveRun, number>();
  #closed = false;

  constructor(options: RunSchedulerOptions) {
    this.#options = options;
    this.#live = options.live;
    this.#ending = new RunEnding(options);
    this.#leases = new RunLeases({ ...options, runs: () => this.#live.all() });
  }

  /**
   * Stores a run and starts it when its turn comes.
   * @param prepareThread writes the thread's row in the same transaction: a new one, or changed metadata.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  async accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { threadId, multitaskStrategy } = identity;
    const others = [...this.#live.onThread(threadId)];
    if (others.length > 0 && multitaskStrategy === 'reject') {
      throw conflict(
        'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
      );
    }
    const run = new LiveRun(
      identity,
      new RunStream(identity.runId, this.#options.db, this.#options.queue, 0),
    );
    this.#live.add(run);
    const now = Date.now();
    const startsNow =
      identity.startAfter <= now &&
      others.every((other) => other.identity.startAfter > now) &&
      this.#running < this.#options.concurrency;
    if (startsNow) this.#take(run);
    const first = startsNow ? run.stream.prepare([metadataOf(run)]) : undefined;
    const ends =
      multitaskStrategy === 'interrupt' || multitaskStrategy === 'rollback' ? multitaskStrategy : undefined;
    try {
      await this.#options.queue.write((transaction) => {
        prepareThread(transaction);
        const row = newRow(run, this.#options.deploymentId);
        insertRun.run(transaction, startsNow ? { ...row, ...this.#leases.taken() } : row);
        if (first !== undefined) insertEvents.run(transaction, first.row);
        if (ends !== undefined) {
          for (const other of others) this.#storeCancel(transaction, other, { action: ends });
        }
      });
    } catch (error) {
      if (startsNow) this.#running--;
      this.#remove(run);
      // Others may be waiting for the thread or the slot.
      this.#schedule(threadId);
      this.#pump();
      throw error;
    }
    // Sent to the runtime first, so that it works while the run is acknowledged.
    if (first !== undefined) {
      run.stream.publish(first.events);
      this.#track(run, this.#execute(run));
    }
    if (ends !== undefined) {
      for (const other of others) this.#cancel(other, { action: ends });
    }
    this.#options.changes.publish('run', 'created', run.identity.runId);
    this.#options.changes.publish('thread', 'updated', threadId);
    this.#options.onChange(threadId);
    if (first === undefined) this.#schedule(threadId);
    return run;
  }

  /**
   * Continues the runs of an earlier server: pending runs stay pending, running ones are started again.
   * Unreadable runs are left unchanged.
   */
  async recover(): Promise<void> {
    for await (const { run, end } of unfinishedRuns(this.#options)) {
      this.#live.add(run);
      if (end !== undefined) this.#track(run, this.#finish(run, end));
    }
    // The end of a run updates its thread in the same transaction, so no thread stays busy without a run.
    await this.#options.threads.settleAllBut(this.#live.threads());
    for (const threadId of this.#live.threads()) this.#schedule(threadId);
  }

  /**
   * Cancels a run; a pending one ends immediately. Its outcome settles when it has ended.
   * @returns when the cancellation is stored, so that the run is not continued after a crash.
   */
  async cancel(run: LiveRun, action: CancelAction, reason: string | undefined): Promise<void> {
    const cancelled = { action, reason };
    if (!this.#cancel(run, cancelled)) {
      this.#options.execution.killDebugged(run);
      return this.#options.queue.settled();
    }
    await this.#options.queue.write((transaction) => this.#storeCancel(transaction, run, cancelled));
  }

  /** @returns false when it was already canceled, or another server will continue it. */
  #cancel(run: LiveRun, cancelled: Cancelled): boolean {
    // Readers disconnected by the stop have not left.
    if (this.#closed) return false;
    const before = run.cancelled?.action;
    if (before === cancelled.action || before === 'rollback') return false;
    if (run.state === 'running') {
      run.cancelled = cancelled;
      this.#options.execution.cancel(run);
    } else if (before === undefined) {
      run.cancelled = cancelled;
      this.#forgetTurn(run);
      this.#track(run, this.#finish(run, { status: 'cancelled', state: null }));
    }
    return true;
  }

  #storeCancel(transaction: StateNow, { identity }: LiveRun, { action, reason }: Cancelled): void {
    this.#options.runs.update(transaction, identity.runId, {
      cancel_action: action,
      cancel_reason: reason ?? null,
    });
  }

  /**
   * Releases the slot of a run while its code waits for this server, for example for another run, which might
   * otherwise wait for that slot forever.
   * @returns a function that takes the slot again.
   */
  lend(runId: string): () => void {
    const run = this.#live.find(runId);
    if (run?.state !== 'running') return () => {};
    const before = this.#lent.get(run) ?? 0;
    this.#lent.set(run, before + 1);
    if (before === 0) {
      this.#running--;
      this.#pump();
    }
    return () => {
      const times = this.#lent.get(run);
      if (times === undefined) return;
      if (times > 1) return void this.#lent.set(run, times - 1);
      this.#lent.delete(run);
      this.#running++;
    };
  }

  /**
   * Stops starting and canceling runs. Canceled runs end; the others are continued by the next start.
   * @returns when those that were canceled have ended.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#leases.close();
    this.#ending.close();
    const cancelled = this.#live.all().filter((run) => run.cancelled !== undefined);
    await Promise.all(cancelled.map((run) => this.#executing.get(run)));
  }

  /** Resolves when no run is being worked on; the runtime has stopped. */
  async settled(): Promise<void> {
    await Promise.all(this.#executing.values());
  }

  #track(run: LiveRun, execution: Promise<void>): void {
    this.#executing.set(run, execution);
    void execution.finally(() => this.#executing.delete(run));
  }

  #remove(run: LiveRun): void {
    this.#live.remove(run);
    this.#forgetTurn(run);
  }

  #forgetTurn(run: LiveRun): void {
    const at = this.#ready.indexOf(run);
    if (at !== -1) this.#ready.splice(at, 1);
  }

  /** Queues the first due run of a thread. */
  #schedule(threadId: string): void {
    // Canceled before its turn; it is about to end.
    const line = this.#live.onThread(threadId).filter((run) => run.state === 'running' || !run.cancelled);
    if (line.some((run) => run.state === 'running' || this.#ready.includes(run))) return;
    const now = Date.now();
    const next = line.find(({ identity }) => identity.startAfter <= now);
    if (next !== undefined) {
      this.#ready.push(next);
      this.#pump();
    } else if (line.length > 0) {
      const wait = Math.min(...line.map(({ identity }) => identity.startAfter)) - now;
      setTimeout(() => this.#schedule(threadId), Math.min(wait, 2 ** 31 - 1)).unref();
    }
  }

  #pump(): void {
    while (!this.#closed && this.#running < this.#options.concurrency) {
      const run = this.#ready.shift();
      if (run === undefined) return;
      this.#take(run);
      this.#track(run, this.#start(run));
    }
  }

  #take(run: LiveRun): void {
    this.#running++;
    run.state = 'running';
    run.startedAt ??= new Date().toISOString();
    run.attempt++;
  }

  /** Stores that a run or another attempt starts, then executes it. */
  async #start(run: LiveRun): Promise<void> {
    const { queue, onChange } = this.#options;
    const { runId: run_id, threadId: thread_id, startAfter } = run.identity;
    const isDelayed = startAfter > 0 && run.attempt === 1;
    const { events, row } = run.stream.prepare([metadataOf(run)]);
    try {
      await queue.write((transaction) => {
        if (isDelayed) {
          countAnotherRun.run(transaction, { thread_id });
          takeNewestPlace.run(transaction, { run_id, thread_id });
        }
        startRun.run(transaction, {
          run_id,
          attempt: run.attempt,
          started_at: run.startedAt ?? null,
          updated_at: new Date().toISOString(),
          ...this.#leases.taken(),
        });
        insertEvents.run(transaction, row);
      });
    } catch (error) {
      run.storageFailure = error;
    }
    run.stream.publish(events);
    if (isDelayed) onChange(thread_id);
    await this.#execute(run);
  }

  async #execute(run: LiveRun): Promise<void> {
    const startedAt = new Date();
    const result: ExecutionResult =
      run.storageFailure === undefined
        ? await this.#options.execution.execute(run).catch((error: unknown) => this.#thrown(error))
        : failureResult(run.storageFailure);
    const { continueAfterCrash } = this.#options;
    const unwanted = run.cancelled !== undefined || run.timedOut;
    if (result.status === 'lost' && !unwanted) {
      if (this.#closed) return this.#leave(run);
      const times = await countLosses(run, this.#options.checkpoints);
      if (continueAfterCrash && times < MAX_LOSSES) {
        run.attempt++;
        return this.#start(run);
      }
      await this.#finish(run, { ...result, ...(continueAfterCrash ? { times } : {}) });
    } else {
      await this.#finish(run, result);
    }
    const lost = run.answeredAttempt < run.attempt;
    if (result.status === 'lost' || run.attempt > 1) this.#options.onCutOff(run, { lost, startedAt });
    if (!this.#lent.delete(run)) this.#running--;
    this.#pump();
  }

  /** Failures caused by stopping the server do not count. */
  #thrown(error: unknown): ExecutionResult {
    return this.#closed ? { status: 'lost', state: null } : failureResult(error);
  }

  /** The server stops before the run ends. The next one continues it, and this does not count as a loss. */
  async #leave({ identity }: LiveRun): Promise<void> {
    const { queue, runs, continueAfterCrash, logger } = this.#options;
    if (!continueAfterCrash) return;
    await queue
      .write((transaction) => runs.update(transaction, identity.runId, { status: 'pending' }))
      .catch((error: unknown) =>
        logger.warn({ run_id: identity.runId, err: error }, 'could not update a run'),
      );
  }

  /** Stores the end of a run, then announces it. */
  async #finish(run: LiveRun, result: ExecutionResult): Promise<void> {
    const { runId, threadId } = run.identity;
    const end = await this.#ending.store(run, result);
    if (end === undefined) return;
    this.#options.onEnded(end.outcome);
    this.#remove(run);
    run.stream.publish(end.events);
    run.settle(end.outcome);
    this.#options.onChange(threadId);
    this.#options.changes.publish('run', end.run === 'deleted' ? 'deleted' : 'updated', runId);
    this.#options.changes.publish('thread', end.thread === 'deleted' ? 'deleted' : 'updated', threadId);
    this.#schedule(threadId);
  }
}

function metadataOf(run: LiveRun): [string, string] {
  return ['metadata', JSON.stringify({ run_id: run.identity.runId, attempt: run.attempt })];
}
