import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import type { Logger } from '../../logger.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { insertEvents, startRun, takeNewestPlace } from '../data/run-queries.ts';
import type { RunStore } from '../data/run-store.ts';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { ExecutionResult, RunExecution } from './run-execution.ts';
import { countLosses, MAX_LOSSES } from './run-losses.ts';
import { failureResult } from './run-outcome.ts';
import type { RunSharing } from './run-sharing.ts';
import type { PreparedEvents } from './run-stream.ts';

export interface RunAttemptsOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly logger: Logger;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly live: LiveRuns;
  readonly execution: Pick<RunExecution, 'execute'>;
  /** Set when servers share a database. */
  readonly sharing?: Pick<RunSharing, 'expectOwn'> | undefined;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /** The revision on which runs currently begin; null in deployments without revisions. */
  currentRevision(): string | null;
  /** Called instead of executing a run that now belongs to another server, or that has been deleted. */
  onGone(run: LiveRun): void;
}

/** The result of a run's last attempt, and when that attempt started. */
export interface LastAttempt {
  readonly result: ExecutionResult;
  readonly startedAt: Date;
}

/** Executes runs. A run that loses its process is executed again, if it may continue. */
export class RunAttempts {
  readonly #options: RunAttemptsOptions;

  constructor(options: RunAttemptsOptions) {
    this.#options = options;
  }

  /**
   * Stores the start of a run or of another attempt, then executes it.
   * @returns the last attempt; undefined if another server, or the next start of this one, continues the
   * run, or the run has been deleted.
   */
  async start(run: LiveRun): Promise<LastAttempt | undefined> {
    const { queue, sharing, currentRevision } = this.#options;
    run.revisionId ??= currentRevision();
    const { runId: run_id, threadId: thread_id } = run.identity;
    const hasWaited = !run.hasPlace;
    let first: PreparedEvents | undefined;
    try {
      await queue.writeForRun(thread_id, (unit) => {
        // The write may be repeated without earlier events that failed, whose numbers are free again.
        if (first !== undefined) run.stream.giveBack(first);
        if (run.storageFailure !== undefined) throw run.storageFailure;
        first = run.stream.prepare([metadataOf(run)]);
        // The run may have been handed over by a unit whose response was lost.
        sharing?.expectOwn(unit, run_id);
        if (hasWaited) takeNewestPlace(unit, { run_id, thread_id });
        unit.run(startRun, {
          run_id,
          attempt: run.attempt,
          started_at: run.startedAt ?? null,
          revision_id: run.revisionId,
          updated_at: new Date().toISOString(),
        });
        unit.insert(insertEvents, [first.row]);
      });
      run.hasPlace = true;
      if (first !== undefined) run.stream.publish(first.events);
    } catch (error) {
      if (first !== undefined) run.stream.giveBack(first);
      if (isRefused(error, 'gone')) {
        this.#options.onGone(run);
        return undefined;
      }
      run.storageFailure ??= error;
    }
    if (hasWaited) this.#options.db.bus.hint(`thread:${thread_id}`);
    return this.execute(run);
  }

  /** Executes a run whose start is stored. @returns the same as `start` */
  async execute(run: LiveRun): Promise<LastAttempt | undefined> {
    const { execution, live, checkpoints, continueAfterCrash, closing } = this.#options;
    const startedAt = new Date();
    const result: ExecutionResult =
      run.storageFailure === undefined
        ? await execution.execute(run).catch((error: unknown) => this.#resultOfError(run, error))
        : failureResult(run.storageFailure);
    // Another server continues a run that was left.
    if (live.hasLeft(run.identity.runId)) return undefined;
    if (run.storageFailure instanceof DatabaseUnreachable) {
      await this.leave(run);
      return undefined;
    }
    if (result.status !== 'lost' || run.mustEnd) return { result, startedAt };
    if (closing.aborted) {
      await this.leave(run);
      return undefined;
    }
    if (!continueAfterCrash) return { result, startedAt };
    const times = await countLosses(run, checkpoints).catch((error: unknown) => {
      run.storageFailure ??= error;
    });
    // The storage failure makes this call leave or end the run, without executing it.
    if (times === undefined) return this.execute(run);
    if (times >= MAX_LOSSES) return { result: { ...result, times }, startedAt };
    // All runs in a process are lost with it. If each runs alone, only the one that crashes its process is
    // lost again, and the others finish.
    if (times === MAX_LOSSES - 1) run.isSuspect = true;
    run.attempt++;
    return this.start(run);
  }

  /**
   * Leaves a run to the next server, when this one stops before the run has ended. The run is stored as
   * pending, so that the stop does not count as a loss; runs that may not continue are left unchanged.
   * @returns false if that could not be stored.
   */
  async leave({ identity: { runId, threadId } }: LiveRun): Promise<boolean> {
    const { queue, runs, continueAfterCrash, logger } = this.#options;
    if (!continueAfterCrash) return true;
    try {
      await queue.writeForRun(threadId, (unit) => runs.update(unit, runId, { status: 'pending' }));
      return true;
    } catch (err) {
      logger.warn({ run_id: runId, err }, 'could not leave a run to the next server');
      return false;
    }
  }

  /**
   * The result of an execution that threw. Errors while the server stops count as a lost process, not as a
   * failure.
   */
  #resultOfError(run: LiveRun, error: unknown): ExecutionResult {
    if (error instanceof DatabaseUnreachable) run.storageFailure ??= error;
    return this.#options.closing.aborted ? { status: 'lost', state: null } : failureResult(error);
  }
}

/** A `metadata` event of a run, as name and JSON. Each attempt begins with one. */
export function metadataOf({ identity, attempt }: LiveRun, more: object = {}): [string, string] {
  return ['metadata', JSON.stringify({ run_id: identity.runId, attempt, ...more })];
}
