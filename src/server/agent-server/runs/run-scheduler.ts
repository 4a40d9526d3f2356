import type { Write } from '../../storage/unit.ts';
import type { CommitQueue } from '../commit-queue.ts';
import type { DeploymentChanges } from '../deployment-changes.ts';
import type { FollowedRuns } from './followed-runs.ts';
import { type CancelAction, type Cancelled, LiveRun, type RunIdentity, type RunOutcome } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import { RunEnding, type RunEndingOptions } from './run-ending.ts';
import type { ExecutionResult, RunExecution } from './run-execution.ts';
import { RunLedger } from './run-ledger.ts';
import { countLosses, MAX_LOSSES } from './run-losses.ts';
import { failureResult } from './run-outcome.ts';
import { insertEvents, insertRun, startRun, storeCancel, takeNewestPlace } from './run-queries.ts';
import { makeRunRow } from './run-rows.ts';
import type { RunSharing } from './run-sharing.ts';
import { RunStream } from './run-stream.ts';
import { threadBusy } from './thread-busy.ts';
import { readUnfinishedRuns } from './unfinished-runs.ts';

/** What a timer can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface RunSchedulerOptions extends RunEndingOptions {
  readonly queue: CommitQueue;
  readonly deploymentId: string;
  readonly execution: Pick<RunExecution, 'execute' | 'cancel' | 'abandon' | 'killDebugged'>;
  /** For servers that share a database. */
  readonly sharing?: RunSharing | undefined;
  readonly followed: Pick<FollowedRuns, 'take'>;
  readonly changes: Pick<DeploymentChanges, 'publish'>;
  /** Runs at once in this deployment. */
  readonly concurrency: number;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
  /** Called when the end of a run is stored. */
  onEnded(run: LiveRun, outcome: RunOutcome): void;
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
  readonly #ledger: RunLedger;
  readonly #ending: RunEnding;
  /** Work on runs that have started. */
  readonly #executing = new Map<LiveRun, Promise<void>>();
  /** Runs that have ended while the database was asked which ones there are. */
  readonly #ended = new Set<string>();
  /** Runs that cannot be read. */
  readonly #unreadable = new Set<string>();
  /** Whether its runs are left to other servers. */
  #isDraining = false;
  #adopting: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: RunSchedulerOptions) {
    this.#options = options;
    this.#live = options.live;
    this.#ledger = new RunLedger(options);
    this.#ending = new RunEnding(options);
  }

  /**
   * Stores a run and starts it when its turn comes.
   * @param prepareThread writes the thread's row in the same transaction: a new one, or changed metadata.
   * @throws HttpError 409 when the thread is busy and the strategy is `reject`.
   */
  accept(identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { sharing } = this.#options;
    if (sharing === undefined) return this.#accept(identity, prepareThread);
    // No other server knows the thread of a stateless run.
    const isAlone = identity.stateless && !this.#isDraining;
    return sharing.inTurn(identity.threadId, () =>
      isAlone ? this.#accept(identity, prepareThread) : this.#acceptShared(sharing, identity, prepareThread),
    );
  }

  /** Accepts a run here, or hands it to the server that has the thread. */
  async #acceptShared(sharing: RunSharing, identity: RunIdentity, prepareThread: Write): Promise<LiveRun> {
    const { threadId } = identity;
    const seen = await sharing.look(threadId);
    const { db, deploymentId } = this.#options;
    const holder = seen.node ?? (this.#isDraining ? await db.findHeir(deploymentId) : undefined);
    if (holder !== undefined && holder !== db.node) {
      const run = await sharing.hand(identity, seen, holder, prepareThread);
      this.#publishAccepted(run);
      return run;
    }
    const isUnknown = (runId: string) => this.#live.find(runId) === undefined;
    if (!this.#isDraining && seen.unfinished.some(isUnknown)) await this.#adopt(sharing);
    return this.#accept(identity, (unit) => {
      prepareThread(unit);
      sharing.expectNext(unit, threadId, seen);
    });
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
    const first = startsNow ? run.stream.prepare([metadataOf(run)]) : undefined;
    const ends =
      multitaskStrategy === 'interrupt' || multitaskStrategy === 'rollback' ? multitaskStrategy : undefined;
    try {
      await this.#options.queue.write(threadId, (unit) => {
        prepareThread(unit);
        const { db, deploymentId } = this.#options;
        unit.run(insertRun, makeRunRow(run, deploymentId, db.node));
        if (first !== undefined) unit.run(insertEvents, first.row);
        if (ends !== undefined) {
          for (const { identity } of others) storeCancel(unit, identity.runId, { action: ends });
        }
      });
    } catch (error) {
      this.#ledger.withdraw(run);
      this.#schedule(threadId);
      throw error;
    }
    this.#ledger.confirm(run);
    run.hasPlace = startsNow;
    // Sent to the runtime first, so that it works while the run is acknowledged.
    if (first !== undefined) {
      run.stream.publish(first.events);
      this.#track(run, this.#execute(run));
    }
    if (ends !== undefined) {
      for (const other of others) this.#cancel(other, { action: ends });
    }
    this.#publishAccepted(run);
    if (first === undefined) this.#schedule(threadId);
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
    const { sharing } = this.#options;
    if (sharing !== undefined) {
      await this.#adopt(sharing);
      void this.#keepAdopting(sharing);
      return;
    }
    for await (const { run, end } of readUnfinishedRuns(this.#options)) {
      this.#ledger.restore(run);
      if (end !== undefined) this.#track(run, this.#finish(run, end));
    }
    // The end of a run updates its thread in the same transaction, so no thread stays busy without a run.
    await this.#options.threads.settleAllBut(this.#live.threads());
    for (const threadId of this.#live.threads()) this.#schedule(threadId);
  }

  /** Takes on what other servers hand over or leave behind, and hears of cancellations. */
  async #keepAdopting(sharing: RunSharing): Promise<void> {
    const { db, logger } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const change = db.bus.next(`node:${db.node}`, signal);
      await this.#adopt(sharing).catch((err: unknown) => logger.warn({ err }, 'could not look for runs'));
      await change;
    }
  }

  #adopt(sharing: RunSharing): Promise<void> {
    const adopted = this.#adopting.then(() => this.#adoptNow(sharing));
    this.#adopting = adopted.catch(() => {});
    return adopted;
  }

  async #adoptNow(sharing: RunSharing): Promise<void> {
    this.#ended.clear();
    const unknown = new Set<string>();
    for (const { run_id, cancel_action: action, cancel_reason } of await sharing.listOwn()) {
      const run = this.#live.find(run_id);
      if (run === undefined && !this.#unreadable.has(run_id)) unknown.add(run_id);
      if (run !== undefined && action !== null)
        this.#cancel(run, { action, reason: cancel_reason ?? undefined });
    }
    for (const runId of this.#ended) unknown.delete(runId);
    if (unknown.size === 0 || this.#isDraining || this.#closing.signal.aborted) return;
    const threads = new Set<string>();
    try {
      for await (const { run, end } of readUnfinishedRuns(this.#options, unknown)) {
        unknown.delete(run.identity.runId);
        this.#ledger.restore(run);
        threads.add(run.identity.threadId);
        if (end !== undefined) this.#track(run, this.#finish(run, end));
      }
      for (const runId of unknown) this.#unreadable.add(runId);
    } finally {
      // Also of those that were read before the database could not be reached.
      for (const threadId of threads) this.#schedule(threadId);
    }
  }

  /**
   * Cancels a run; a pending one ends immediately. Its outcome settles when it has ended.
   * @returns when the cancellation is stored, so that the run is not continued after a crash.
   */
  async cancel(asked: LiveRun, action: CancelAction, reason: string | undefined): Promise<void> {
    const cancelled = { action, reason };
    const { sharing } = this.#options;
    const { runId, threadId } = asked.identity;
    // One that was another server's may be this one's by now.
    const own = this.#live.find(runId);
    const run = own ?? asked;
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

  /** @returns false when it was already canceled, has ended, or another server will continue it. */
  #cancel(run: LiveRun, cancelled: Cancelled): boolean {
    // Readers disconnected by the stop have not left.
    if (this.#closing.signal.aborted || this.#live.find(run.identity.runId) !== run) return false;
    const before = run.cancelled?.action;
    if (before === cancelled.action || before === 'rollback') return false;
    if (run.state === 'running') {
      run.cancelled = cancelled;
      this.#options.execution.cancel(run);
    } else if (before === undefined) {
      run.cancelled = cancelled;
      this.#ledger.skip(run);
      this.#track(run, this.#finish(run, { status: 'cancelled', state: null }));
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

  /**
   * Leaves all runs to other servers: those that wait now, those that are executed at the end of their supersteps. Starts
   * none any more, and hands new ones on. Does nothing where no other server can have them.
   * @returns when none is left, or the signal is aborted.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const { sharing, db, deploymentId, logger } = this.#options;
    if (sharing === undefined) return;
    this.#isDraining = true;
    this.#ledger.stopStarting();
    await this.#adopting;
    while (!signal.aborted) {
      const change = db.bus.next(`node:${db.node}`, signal);
      try {
        const own = await sharing.listOwn();
        const threads = new Set([...this.#live.threads(), ...own.map(({ thread_id }) => thread_id)]);
        if (threads.size === 0) return;
        for (const threadId of threads) await this.#give(sharing, threadId);
        if (this.#executing.size === 0 && (await db.findHeir(deploymentId)) === undefined) return;
      } catch (err) {
        logger.warn({ err }, 'could not leave runs to another server');
      }
      await change;
    }
  }

  /** While runs are left to other servers, a run is at the end of each of its supersteps. */
  leaveAfterStep(run: LiveRun): void {
    const { sharing, execution, logger } = this.#options;
    const { runId, threadId } = run.identity;
    const isWanted = run.cancelled === undefined && !run.timedOut && run.storageFailure === undefined;
    if (!this.#isDraining || sharing === undefined || !isWanted || this.#closing.signal.aborted) return;
    this.#live.leave(runId);
    this.#executing.delete(run);
    execution.abandon(run);
    this.#give(sharing, threadId).catch((err: unknown) =>
      logger.warn({ run_id: runId, err }, 'could not leave a run to another server'),
    );
  }

  /** Gives the runs of a thread to another server, unless one of them is worked on here or there is no other server. */
  #give(sharing: RunSharing, threadId: string): Promise<void> {
    const { db, deploymentId, followed } = this.#options;
    return sharing.inTurn(threadId, async () => {
      const heir = await db.findHeir(deploymentId);
      const line = this.#live.onThread(threadId);
      if (line.some((run) => this.#executing.has(run))) return;
      if (heir === undefined) {
        for (const run of line) if (this.#live.hasLeft(run.identity.runId)) await this.#leave(run);
        return;
      }
      // Who cancels one of them from now on has it stored.
      for (const run of line) this.#ledger.leave(run);
      try {
        await sharing.give(threadId, heir);
      } catch (error) {
        for (const run of line) this.#ledger.restore(run);
        throw error;
      }
      for (const run of line) followed.take(run);
      db.bus.hint(`node:${db.node}`);
    });
  }

  /**
   * Stops starting and canceling runs. Canceled runs end; the others are continued by the next start.
   * @returns when those that were canceled have ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ending.close();
    const cancelled = this.#live.all().filter((run) => run.cancelled !== undefined);
    await Promise.all(cancelled.map((run) => this.#executing.get(run)));
  }

  /** Resolves when no run is being worked on; the runtime has stopped. */
  async waitUntilSettled(): Promise<void> {
    await Promise.all(this.#executing.values());
  }

  #track(run: LiveRun, execution: Promise<void>): void {
    this.#executing.set(run, execution);
    void execution.finally(() => this.#executing.delete(run));
  }

  /** Starts what may start now that a thread or a slot may be free. */
  #schedule(threadId: string): void {
    const waitMs = this.#ledger.schedule(threadId, Date.now());
    if (waitMs !== undefined) {
      setTimeout(() => this.#schedule(threadId), Math.min(waitMs, MAX_TIMEOUT_MS)).unref();
    }
    this.#startClaimed();
  }

  #startClaimed(): void {
    while (!this.#closing.signal.aborted) {
      const run = this.#ledger.claim();
      if (run === undefined) return;
      this.#track(run, this.#start(run));
    }
  }

  /** Stores that a run or another attempt starts, then executes it. */
  async #start(run: LiveRun): Promise<void> {
    const { db, queue } = this.#options;
    const { runId: run_id, threadId: thread_id } = run.identity;
    const hasWaited = !run.hasPlace;
    const { events, row } = run.stream.prepare([metadataOf(run)]);
    try {
      await queue.write(thread_id, (unit) => {
        if (hasWaited) takeNewestPlace(unit, { run_id, thread_id });
        unit.run(startRun, {
          run_id,
          attempt: run.attempt,
          started_at: run.startedAt ?? null,
          updated_at: new Date().toISOString(),
        });
        unit.run(insertEvents, row);
      });
      run.hasPlace = true;
    } catch (error) {
      run.storageFailure = error;
    }
    run.stream.publish(events);
    if (hasWaited) db.bus.hint(`thread:${thread_id}`);
    await this.#execute(run);
  }

  async #execute(run: LiveRun): Promise<void> {
    const startedAt = new Date();
    const result: ExecutionResult =
      run.storageFailure === undefined
        ? await this.#options.execution.execute(run).catch((error: unknown) => this.#resultOfError(error))
        : failureResult(run.storageFailure);
    // Another server goes on with it.
    if (this.#live.hasLeft(run.identity.runId)) return;
    const { continueAfterCrash } = this.#options;
    const unwanted = run.cancelled !== undefined || run.timedOut;
    if (result.status === 'lost' && !unwanted) {
      if (this.#closing.signal.aborted) return this.#leave(run);
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
    this.#ledger.release(run);
    this.#startClaimed();
  }

  /** Failures caused by stopping the server do not count. */
  #resultOfError(error: unknown): ExecutionResult {
    return this.#closing.signal.aborted ? { status: 'lost', state: null } : failureResult(error);
  }

  /** The server stops before the run ends. The next one continues it, and this does not count as a loss. */
  async #leave({ identity }: LiveRun): Promise<void> {
    const { queue, runs, continueAfterCrash, logger } = this.#options;
    if (!continueAfterCrash) return;
    await queue
      .write(identity.threadId, (unit) => runs.update(unit, identity.runId, { status: 'pending' }))
      .catch((error: unknown) =>
        logger.warn({ run_id: identity.runId, err: error }, 'could not update a run'),
      );
  }

  /** Stores the end of a run, then announces it. */
  async #finish(run: LiveRun, result: ExecutionResult): Promise<void> {
    const { runId, threadId } = run.identity;
    const end = await this.#ending.store(run, result);
    if (end === undefined) return;
    this.#options.onEnded(run, end.outcome);
    if (this.#options.sharing !== undefined) this.#ended.add(runId);
    this.#ledger.leave(run);
    run.stream.publish(end.events);
    run.settle(end.outcome);
    this.#options.db.bus.hint(`run:${runId}`);
    this.#options.db.bus.hint(`thread:${threadId}`);
    this.#options.changes.publish('run', end.run === 'deleted' ? 'deleted' : 'updated', runId);
    this.#options.changes.publish('thread', end.thread === 'deleted' ? 'deleted' : 'updated', threadId);
    this.#schedule(threadId);
  }
}

function metadataOf(run: LiveRun): [string, string] {
  return ['metadata', JSON.stringify({ run_id: run.identity.runId, attempt: run.attempt })];
}
