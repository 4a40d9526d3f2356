import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { isRefused } from '../../storage/refused.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import type { Unit } from '../../storage/unit.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import { endRun, insertEvents, noOtherUse, takeNewestPlace } from '../data/run-queries.ts';
import type { RunStore } from '../data/run-store.ts';
import { busyOr, releaseThread } from '../data/thread-queries.ts';
import type { ThreadStore } from '../data/thread-store.ts';
import type { LiveRun, RunOutcome } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import { type RestoringOptions, restoreThread } from './restore-thread.ts';
import type { ExecutionResult } from './run-execution.ts';
import { failureResult, outcomeOf, storageOutcome } from './run-outcome.ts';
import type { RunSharing } from './run-sharing.ts';
import type { PreparedEvents, StreamedEvent } from './run-stream.ts';
import { untilStored } from './until-stored.ts';

const MINUTE_MS = 60_000;
/** How long the events of an ended run are kept, so that readers can rejoin. */
const EVENTS_KEPT_MS = 10 * MINUTE_MS;
/** How long a thread that was created for one call waits for an answer to its interrupt: a week. */
const WAITING_MINUTES = 7 * 24 * 60;

export interface RunEndingOptions extends RestoringOptions {
  readonly threads: ThreadStore;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly live: LiveRuns;
  /**
   * Set when servers share a database: others may accept runs on the same thread, and read this server's
   * streams.
   */
  readonly sharing?: RunSharing | undefined;
  /** Adds the writes that must be stored with the end of a run, such as its webhook. */
  onEnd(unit: Unit, run: LiveRun, outcome: RunOutcome): void;
}

/** The stored end of a run. */
export interface StoredEnd {
  readonly outcome: RunOutcome;
  /** The last events of its stream, which readers have not received yet. */
  readonly events: readonly StreamedEvent[];
  readonly run: 'kept' | 'deleted';
  readonly thread: 'kept' | 'deleted';
}

type LastEvents = PreparedEvents | undefined;

/** How the end of a run is stored. Each attempt to store it may change this. */
interface Ending {
  outcome: RunOutcome;
  last: LastEvents;
  /** Whether the run is deleted, because it was canceled with a rollback. */
  undone: boolean;
  /**
   * Whether the thread is deleted: in the same unit if it is also `discarded`, otherwise when the stored
   * events expire.
   */
  temporary: boolean;
  discarded: boolean;
}

/** Stores how runs end: their last events, their outcome and their threads' new state, in one transaction. */
export class RunEnding {
  readonly #options: RunEndingOptions;
  readonly #closing = new AbortController();
  constructor(options: RunEndingOptions) {
    this.#options = options;
  }

  /** Stops retrying. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Stores the end of a run, and retries until it is stored, because an announced end must survive a restart.
   * If that can never succeed, a failure is stored instead. If even that fails, the failure is announced
   * without being stored.
   * @returns undefined if the server stops first; its next start continues the run.
   */
  async store(run: LiveRun, result: ExecutionResult): Promise<StoredEnd | undefined> {
    const log = (err: unknown) =>
      this.#options.logger.error({ run_id: run.identity.runId, err }, 'could not store the end of a run');
    try {
      return await this.#storeEnd(run, result, outcomeOf(run, result));
    } catch (error) {
      log(error);
      const outcome = storageOutcome(error);
      try {
        return await this.#storeEnd(run, failureResult(error), outcome);
      } catch (again) {
        log(again);
        const events = this.#prepareLastEvents(run, outcome)?.events ?? [];
        return { outcome, events, run: 'kept', thread: 'kept' };
      }
    }
  }

  /**
   * Stores the end of a run. Deletes its thread if that ends with the run and nothing else uses it, or
   * undoes a run that was canceled with a rollback.
   * @returns undefined if the server stops first.
   * @throws errors that a retry would not change; nothing is stored then.
   */
  async #storeEnd(
    run: LiveRun,
    result: ExecutionResult,
    reached: RunOutcome,
  ): Promise<StoredEnd | undefined> {
    const ending = this.#prepare(run, result, reached);
    let exists = true;
    try {
      const hasEnded = await untilStored(() => this.#writeUnlessUsed(run, result, ending), {
        what: 'the end of a run',
        runId: run.identity.runId,
        logger: this.#options.logger,
        closing: this.#closing.signal,
      });
      if (!hasEnded) return undefined;
    } catch (error) {
      if (!isRefused(error, 'gone')) {
        if (ending.last !== undefined) run.stream.giveBack(ending.last);
        throw error;
      }
      // `gone` means that the run was deleted with its deployment, or could not be stored when it was
      // accepted.
      exists = false;
    }
    const { outcome, last, discarded, undone } = ending;
    if (exists && !discarded && (undone || this.#lacksState(run, result)))
      await restoreThread(run, undone ? undefined : outcome, this.#options, this.#closing.signal);
    return {
      outcome,
      events: last?.events ?? [],
      run: discarded || undone || !exists ? 'deleted' : 'kept',
      thread: discarded ? 'deleted' : 'kept',
    };
  }

  /** Decides how the end of a run is stored, before the first attempt. */
  #prepare(run: LiveRun, result: ExecutionResult, outcome: RunOutcome): Ending {
    const temporary = this.#endsWithThread(run, result, outcome);
    // If a slow reader here needs the stored events, or readers on other servers might, the thread is
    // deleted later, together with the events.
    const discarded = temporary && !run.stream.isReadFromStorage && this.#options.sharing === undefined;
    if (discarded) run.stream.keepInMemory();
    return { outcome, last: undefined, undone: false, temporary, discarded };
  }

  /** Writes the end of a run. A thread that turns out to have another use is not deleted in the same unit. */
  #writeUnlessUsed(run: LiveRun, result: ExecutionResult, ending: Ending): Promise<void> {
    return this.#write(run, result, ending).catch((error: unknown) => {
      if (!isRefused(error, 'stale')) throw error;
      ending.discarded = false;
      ending.temporary = this.#endsWithThread(run, result, ending.outcome);
      return this.#write(run, result, ending);
    });
  }

  /** Writes the end of a run, and updates `ending` to what was written. */
  #write(run: LiveRun, result: ExecutionResult, ending: Ending): Promise<void> {
    return this.#options.queue.writeForRun(run.identity.threadId, (unit) => {
      // This failure means that the server stops before the run's last work is stored; the next server
      // then continues the run.
      if (run.storageFailure instanceof DatabaseUnreachable) throw run.storageFailure;
      // The run's last checkpoint and events are written just before its end. Storing them may have
      // failed, for example on a full disk.
      if (run.storageFailure !== undefined && ending.outcome.error === undefined) {
        ending.outcome = outcomeOf(run, result);
      }
      if (ending.last !== undefined) run.stream.giveBack(ending.last);
      ending.last = this.#prepareLastEvents(run, ending.outcome);
      this.#options.onEnd(unit, run, ending.outcome);
      ending.undone = run.cancelled?.action === 'rollback';
      if (ending.discarded) this.#discard(unit, run);
      else if (ending.undone) this.#undo(unit, run);
      else this.#keep(unit, run, result, ending);
    });
  }

  /**
   * Whether a run may have completed steps that are missing in its result: on another server, before a crash,
   * or because storing a step failed.
   */
  #lacksState(run: LiveRun, { status, state }: ExecutionResult): boolean {
    if (run.storageFailure !== undefined) return true;
    const wasBegun = run.earlierAttempts > 0 || this.#options.live.hasLeft(run.identity.runId);
    return state === null && (wasBegun || run.attempt > 1 || status === 'lost');
  }

  /**
   * Stores the end of a run that is kept, and the new state of its thread. A temporary thread expires with
   * the run's events.
   */
  #keep(
    unit: Unit,
    run: LiveRun,
    result: ExecutionResult,
    { outcome, last, temporary }: Readonly<Ending>,
  ): void {
    const { runId: run_id, threadId: thread_id } = run.identity;
    const now = new Date();
    const updated_at = now.toISOString();
    const expiry = new Date(now.getTime() + EVENTS_KEPT_MS).toISOString();
    const error = outcome.error === undefined ? null : JSON.stringify(outcome.error);
    // After a storage failure, the state that the run reached in memory may never have been stored.
    const state = run.storageFailure === undefined ? result.state : null;
    unit.expect(
      endRun,
      {
        run_id,
        status: outcome.status,
        ended_at: updated_at,
        last_checkpoint_id: state?.checkpoint_id ?? null,
        interrupts: state?.interrupts ?? null,
        events_expire_at: expiry,
        error,
        cancel_reason: run.cancelled?.reason ?? null,
        updated_at,
      },
      'gone',
    );
    if (!run.hasPlace) takeNewestPlace(unit, { run_id, thread_id });
    if (last !== undefined) unit.insert(insertEvents, [last.row]);
    unit.run(releaseThread, {
      thread_id,
      status: statusAfter(result, outcome),
      may_be_busy: this.#othersWait(run) ? 1 : 0,
      error,
      updated_at,
      values: state?.values ?? null,
      interrupts: state?.interrupts ?? null,
      state_updated_at: state === null ? null : updated_at,
    });
    if (temporary) {
      expireThread(unit, thread_id, { ttl_minutes: 0, expires_at: expiry });
    } else if (run.identity.kwargs.on_completion === 'keep_waiting' && waitsForAnswer(result, outcome)) {
      const until = new Date(now.getTime() + WAITING_MINUTES * MINUTE_MS).toISOString();
      expireThread(unit, thread_id, { ttl_minutes: WAITING_MINUTES, expires_at: until });
    }
  }

  /** The events after which the stream of a run ends: its feedback links and its error, if any. */
  #prepareLastEvents(run: LiveRun, outcome: RunOutcome): LastEvents {
    const { feedback } = run.identity.kwargs;
    const closing: [string, string][] = [];
    if (feedback) closing.push(['feedback', JSON.stringify(feedback)]);
    if (outcome.error !== undefined) closing.push(['error', JSON.stringify(outcome.error)]);
    return closing.length === 0 ? undefined : run.stream.prepare(closing);
  }

  /**
   * Deletes the thread of a run. The unit is refused as stale if the thread has another unfinished run, or a
   * copy reads its checkpoints.
   */
  #discard(unit: Unit, { identity }: LiveRun): void {
    const { runId: run_id, threadId: thread_id } = identity;
    unit.expect(noOtherUse, { run_id, thread_id }, 'stale');
    this.#options.threads.delete(unit, thread_id);
  }

  /** Deletes a run and its checkpoints. */
  #undo(unit: Unit, run: LiveRun): void {
    this.#options.checkpoints.deleteRun(unit, run.identity.threadId, run.identity.runId);
    this.#options.runs.delete(unit, run.identity.runId);
    // The thread's earlier state is restored afterwards, or never if the server crashes first.
    const status = busyOr('idle');
    unit.do(unit.build.updateTable('threads').set({ status }).where('thread_id', '=', run.identity.threadId));
  }

  /** Whether the thread is deleted with the run. */
  #endsWithThread(run: LiveRun, result: ExecutionResult, outcome: RunOutcome): boolean {
    const { stateless, kwargs } = run.identity;
    if (kwargs.on_completion !== 'keep_waiting') return stateless && kwargs.on_completion !== 'keep';
    return !waitsForAnswer(result, outcome) && !this.#othersWait(run);
  }

  /**
   * Whether other runs may have been accepted on the thread, even if they are not stored yet, or never will
   * be.
   */
  #othersWait(run: LiveRun): boolean {
    if (this.#options.sharing !== undefined) return true;
    return this.#options.live.onThread(run.identity.threadId).some((other) => other !== run);
  }
}

/** Makes a thread be deleted at a time. */
function expireThread(
  unit: Unit,
  threadId: string,
  lifetime: { readonly ttl_minutes: number; readonly expires_at: string },
): void {
  unit.do(
    unit.build
      .updateTable('threads')
      .set({ ttl_strategy: 'delete', ...lifetime })
      .where('thread_id', '=', threadId),
  );
}

/** The status of a thread after a run that is kept. */
function statusAfter(result: ExecutionResult, outcome: RunOutcome): ThreadTable['status'] {
  if (outcome.error !== undefined) return 'error';
  return (result.state?.next.length ?? 0) > 0 ? 'interrupted' : 'idle';
}

/** Whether the run stopped at an interrupt. */
function waitsForAnswer({ state }: ExecutionResult, { status }: RunOutcome): boolean {
  return status === 'success' && state !== null && state.interrupts !== '{}';
}
