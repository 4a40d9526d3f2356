import { microtasksDone } from '../../../process/microtasks-done.ts';
import type { Write } from '../../storage/unit.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { insertEvents, insertRun, storeCancel } from '../data/run-queries.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import { type CancelAction, type Cancelled, LiveRun, type RunIdentity, type RunOutcome } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import { type LastAttempt, metadataOf, RunAttempts } from './run-attempts.ts';
import { RunEnding, type RunEndingOptions } from './run-ending.ts';
import type { ExecutionResult, RunExecution } from './run-execution.ts';
import { RunLedger } from './run-ledger.ts';
import { makeRunRow } from './run-rows.ts';
import type { SharedScheduling } from './run-sharing.ts';
import { RunStream } from './run-stream.ts';
import { threadBusy } from './thread-busy.ts';
import { readUnfinishedThreads, type UnfinishedRun } from './unfinished-runs.ts';

/** The longest time that a timer can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface RunSchedulerOptions extends RunEndingOptions {
  readonly queue: CommitQueue;
  readonly deploymentId: string;
  readonly execution: Pick<RunExecution, 'execute' | 'cancel' | 'abandon' | 'killDebugged'>;
  readonly changes: Pick<DeploymentChanges, 'publish'>;
  /** The revision on which runs currently begin; null in deployments without revisions. */
  currentRevision(): string | null;
  /** The maximum number of concurrent runs in this deployment. */
  readonly concurrency: number;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
  /** Called when the end of a run is stored. */
  onEnded(run: LiveRun, outcome: RunOutcome): void;
  /**
   * Called when a run that lost a process has ended.
   * @param ended whether the last attempt was lost too, and when that attempt started.
   */
  onCutOff(run: LiveRun, ended: { lost: boolean; startedAt: Date }): void;
}

/**
 * Accepts runs, executes them in order, one at a time per thread, and reports how they end. A run is stored
 * before it is acknowledged, and its end before its stream closes.
 */
export class RunScheduler {
  readonly #options: RunSchedulerOptions;
  readonly #live: LiveRuns;
  readonly #ledger: RunLedger;
  readonly #ending: RunEnding;
  readonly #attempts: RunAttempts;
  /** The work on runs that are being executed or ended. */
  readonly #executing = new Map<LiveRun, Promise<void>>();
  readonly #closing = new AbortController();
  /** Passes runs between servers that share a database. */
  readonly #shared: SharedScheduling | undefined;

  constructor(options: RunSchedulerOptions) {
    this.#options = options;
    this.#live = options.live;
    this.#ledger = new RunLedger(options);
    this.#ending = new RunEnding(options);
    this.#attempts = new RunAttempts({
      ...options,
      closing: this.#closing.signal,
      onGone: (run) => this.#lose(run),
    });
    this.#shared = options.sharing?.join({
      ...options,
      ledger: this.#ledger,
      executing: this.#executing,
      closing: this.#closing.signal,
      acceptHere: (identity, prepareThread) => this.#accept(identity, prepareThread),
      publishAccepted: (run) => this.#publishAccepted(run),
      schedule: (threadId) => this.#schedule(threadId),
      cancel: (run, cancelled) => this.#cancel(run, cancelled),
      restore: (unfinished) => this.#restore(unfinished),
      lose: (run) => this.#lose(run),
      leaveToNextStart: (run) => this.#attempts.leave(run),
    });
  }

  /**
   * Stores a run and starts it when its turn comes.
   * @param prepareThread writes the thread's row in the same transaction: a new one, or changed metadata.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    return this.#shared === undefined
      ? this.#accept(identity, prepareThread)
      : this.#shared.accept(identity, prepareThread);
  }

  async #accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { threadId, multitaskStrategy } = identity;
    const others = [...this.#live.onThread(threadId)];
    if (others.length > 0 && multitaskStrategy === 'reject') {
      throw threadBusy();
    }
    const ids = { run_id: identity.runId, thread_id: threadId };
    const run = new LiveRun(identity, new RunStream(ids, this.#options));
    const startsNow = this.#ledger.accept(run, Date.now());
    if (startsNow) run.revisionId = this.#options.currentRevision();
    const first = startsNow ? run.stream.prepare([metadataOf(run)]) : undefined;
    const endsOthers =
      multitaskStrategy === 'interrupt' || multitaskStrategy === 'rollback' ? multitaskStrategy : undefined;
    try {
      await this.#options.queue.write(threadId, (unit) => {
        prepareThread(unit);
        const { db, deploymentId } = this.#options;
        unit.run(insertRun, makeRunRow(run, deploymentId, db.node));
        if (first !== undefined) unit.insert(insertEvents, [first.row]);
        if (endsOthers !== undefined) {
          for (const { identity } of others) storeCancel(unit, identity.runId, { action: endsOthers });
        }
      });
    } catch (error) {
      this.#ledger.withdraw(run);
      this.#schedule(threadId);
      throw error;
    }
    this.#ledger.confirm(run);
    run.hasPlace = startsNow;
    if (first !== undefined) {
      run.stream.publish(first.events);
      this.#track(run, this.#endAfter(run, this.#attempts.execute(run)));
    }
    if (endsOthers !== undefined) {
      for (const other of others) this.#cancel(other, { action: endsOthers });
    }
    this.#publishAccepted(run);
    if (first === undefined) {
      this.#schedule(threadId);
      return run;
    }
    // The run is sent to the runtime first, which then works while the run is being acknowledged.
    await microtasksDone();
    return run;
  }

  #publishAccepted({ identity: { runId, threadId } }: LiveRun): void {
    const { changes, db } = this.#options;
    changes.publish('run', 'created', runId);
    changes.publish('thread', 'updated', threadId);
    db.bus.hint(`thread:${threadId}`);
  }

  /**
   * Continues the runs of an earlier server: pending runs stay pending, running ones are started again.
   * Unreadable runs are left unchanged.
   */
  async recover(): Promise<void> {
    if (this.#shared !== undefined) return this.#shared.recover();
    for await (const ofThread of readUnfinishedThreads(this.#options)) {
      for (const unfinished of ofThread) this.#restore(unfinished);
    }
    // The end of a run updates its thread in the same transaction, so no thread stays busy without a run.
    await this.#options.threads.settleAllBut(this.#live.threads());
    for (const threadId of this.#live.threads()) this.#schedule(threadId);
  }

  #restore({ run, end }: UnfinishedRun): void {
    this.#ledger.restore(run);
    if (end !== undefined) this.#track(run, this.#finishCutOff(run, end));
  }

  /**
   * Cancels a run. A pending run ends immediately. The run's `outcome` resolves when it has ended.
   * @returns when the cancellation is stored, so that the run is not continued after a crash.
   */
  async cancel(given: LiveRun, action: CancelAction, reason: string | undefined): Promise<void> {
    const cancelled = { action, reason };
    const { sharing } = this.#options;
    const { runId, threadId } = given.identity;
    // A run that belonged to another server may belong to this one by now.
    const own = this.#live.find(runId);
    const run = own ?? given;
    if (sharing !== undefined && own === undefined) {
      if (!this.#closing.signal.aborted) await sharing.cancel(runId, threadId, cancelled);
      return;
    }
    if (!this.#cancel(run, cancelled)) {
      this.#options.execution.killDebugged(run);
      return this.#options.queue.waitUntilSettled(threadId);
    }
    await this.#options.queue.write(threadId, (unit) => storeCancel(unit, runId, cancelled));
  }

  /**
   * Cancels a run of this server.
   * @returns false when it has ended, was already canceled in the same or a stronger way, or another server
   * will continue it.
   */
  #cancel(run: LiveRun, cancelled: Cancelled): boolean {
    // Readers that the stop has disconnected do not count as having left.
    if (this.#closing.signal.aborted || this.#live.find(run.identity.runId) !== run) return false;
    const before = run.cancelled?.action;
    if (before === cancelled.action || before === 'rollback') return false;
    if (run.state === 'running') {
      run.cancelled = cancelled;
      this.#options.execution.cancel(run);
    } else if (before === undefined) {
      run.cancelled = cancelled;
      this.#ledger.skip(run);
      this.#track(run, this.#finishCutOff(run, { status: 'cancelled', state: null }));
    }
    return true;
  }

  /**
   * Releases the slot of a run while its code waits for this server, for example for another run, which might
   * otherwise wait for that slot forever.
   * @returns a function that takes the slot again.
   */
  lend(runId: string): () => void {
    const takeBack = this.#ledger.lend(runId);
    this.#startClaimed();
    return takeBack;
  }

  get isPaused(): boolean {
    return this.#ledger.isPaused;
  }

  /** Pauses or resumes the deployment: while it is paused, no runs are started, and started ones continue. */
  setPaused(isPaused: boolean): void {
    if (isPaused === this.#ledger.isPaused) return;
    this.#ledger.isPaused = isPaused;
    if (!isPaused) this.#startClaimed();
  }

  /**
   * Leaves all runs to other servers: pending ones now, and running ones at the end of their supersteps. No
   * more runs are started, and new ones are passed on. Does nothing if no other server can take them.
   * @returns when all runs were left, or the signal is aborted.
   */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#shared?.leaveAll(signal);
  }

  /**
   * Called at the end of each superstep of a run; leaves the run at that point if this server is stopping.
   */
  leaveAfterStep(run: LiveRun): void {
    this.#shared?.leaveAfterStep(run);
  }

  /**
   * Stops starting and canceling runs. Canceled runs end, and the next start continues the others.
   * @returns when the canceled runs have ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ending.close();
    const cancelled = this.#live.all().filter((run) => run.cancelled !== undefined);
    await Promise.all(cancelled.map((run) => this.#executing.get(run)));
  }

  /** Resolves when no run is being worked on any longer; called after the runtime has stopped. */
  async waitUntilSettled(): Promise<void> {
    await Promise.all(this.#executing.values());
  }

  #track(run: LiveRun, execution: Promise<void>): void {
    this.#executing.set(run, execution);
    void execution.finally(() => {
      // Other work on the run may be tracked by now: a run that was left may still be ended here.
      if (this.#executing.get(run) === execution) this.#executing.delete(run);
    });
  }

  /** Starts runs that may start now that a thread or a slot may be free. */
  #schedule(threadId: string): void {
    const waitMs = this.#ledger.schedule(threadId, Date.now());
    if (waitMs !== undefined) {
      setTimeout(() => this.#schedule(threadId), Math.min(waitMs, MAX_TIMEOUT_MS)).unref();
    }
    this.#startClaimed();
  }

  #startClaimed(): void {
    if (this.#closing.signal.aborted) return;
    for (let run = this.#ledger.claim(); run !== undefined; run = this.#ledger.claim()) {
      this.#track(run, this.#endAfter(run, this.#attempts.start(run)));
    }
    this.#shared?.askForSlots();
  }

  /** Ends a run after its last attempt, and makes room for others. */
  async #endAfter(run: LiveRun, attempts: Promise<LastAttempt | undefined>): Promise<void> {
    const last = await attempts;
    if (last === undefined) return;
    const { result, startedAt } = last;
    await this.#finish(run, result);
    const lost = run.answeredAttempt < run.attempt;
    if (result.status === 'lost' || run.attempt > 1) this.#options.onCutOff(run, { lost, startedAt });
    this.#ledger.release(run);
    this.#startClaimed();
  }

  /** Called when a run belongs to another server or has been deleted. */
  #lose(run: LiveRun): void {
    this.#ledger.withdraw(run);
    this.#shared?.followElsewhere(run);
    this.#schedule(run.identity.threadId);
  }

  /** Ends a run that no server executes; another server may have executed it before. */
  async #finishCutOff(run: LiveRun, result: ExecutionResult): Promise<void> {
    await this.#finish(run, result);
    if (run.attempt > 0) this.#options.onCutOff(run, { lost: true, startedAt: new Date() });
  }

  /** Stores the end of a run, then announces it. */
  async #finish(run: LiveRun, result: ExecutionResult): Promise<void> {
    const { runId, threadId } = run.identity;
    const end = await this.#ending.store(run, result);
    if (end === undefined) return;
    this.#options.onEnded(run, end.outcome);
    this.#shared?.noteEnd(runId);
    this.#ledger.remove(run);
    run.stream.publish(end.events);
    run.settle(end.outcome);
    this.#options.db.bus.hint(`run:${runId}`);
    this.#options.db.bus.hint(`thread:${threadId}`);
    this.#options.changes.publish('run', end.run === 'deleted' ? 'deleted' : 'updated', runId);
    this.#options.changes.publish('thread', end.thread === 'deleted' ? 'deleted' : 'updated', threadId);
    this.#schedule(threadId);
  }
}
