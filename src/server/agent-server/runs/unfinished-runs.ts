import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CheckpointStore } from '../checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../commit-queue.ts';
import { LiveRun, type RunIdentity } from './live-run.ts';
import type { ExecutionResult } from './run-execution.ts';
import { countLosses, MAX_LOSSES_TOTAL } from './run-losses.ts';
import { identityOf } from './run-rows.ts';
import type { RunRow, RunStore } from './run-store.ts';
import { RunStream } from './run-stream.ts';

export interface UnfinishedRunsOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly logger: Logger;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  /** Whether runs interrupted by a crash continue from their last checkpoint, or end as errors. */
  readonly continueAfterCrash: boolean;
}

/** An unfinished run of an earlier server, and its end if it is not continued. */
export interface UnfinishedRun {
  readonly run: LiveRun;
  readonly end?: ExecutionResult;
}

/**
 * Reads the unfinished runs of an earlier server, oldest first. Running ones that continue become pending
 * again. Unreadable rows are left unchanged.
 * @param only the IDs of those to be read, instead of all.
 */
export async function* readUnfinishedRuns(
  options: UnfinishedRunsOptions,
  only?: ReadonlySet<string>,
): AsyncGenerator<UnfinishedRun> {
  const { db, queue, logger, runs } = options;
  for (const row of await runs.listUnfinished(only)) {
    const identity = readIdentity(row, logger);
    if (identity === undefined) continue;
    const stream = new RunStream(row, { db, queue }, await runs.findLastEvent(row.run_id));
    const run = new LiveRun(identity, stream, row.attempt, row.created_at);
    run.startedAt = row.started_at ?? undefined;
    run.hasPlace = row.started_at !== null;
    if (row.cancel_action !== null) {
      run.cancelled = { action: row.cancel_action, reason: row.cancel_reason ?? undefined };
      yield { run, end: { status: 'cancelled', state: null } };
    } else if (row.status === 'running') {
      const end = await endOfCutOff(run, options);
      if (end === undefined) {
        logger.info({ run_id: row.run_id, attempt: row.attempt + 1 }, 'continuing a run that had not ended');
        await queue.write(row.thread_id, (unit) => runs.update(unit, row.run_id, { status: 'pending' }));
      }
      yield end === undefined ? { run } : { run, end };
    } else {
      yield { run };
    }
  }
}

function readIdentity(row: RunRow, logger: Logger): RunIdentity | undefined {
  try {
    return identityOf(row);
  } catch (err) {
    logger.error({ err, run_id: row.run_id }, 'could not read a run, so it is not continued');
    return undefined;
  }
}

/** @returns undefined when the run continues. */
async function endOfCutOff(
  run: LiveRun,
  { checkpoints, continueAfterCrash }: UnfinishedRunsOptions,
): Promise<ExecutionResult | undefined> {
  if (!continueAfterCrash) return { status: 'lost', state: null };
  const times = await countLosses(run, checkpoints);
  return times < MAX_LOSSES_TOTAL ? undefined : { status: 'lost', state: null, times };
}
