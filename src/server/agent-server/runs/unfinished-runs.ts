import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { RunRow, RunStore } from '../data/run-store.ts';
import { LiveRun, type RunIdentity } from './live-run.ts';
import type { ExecutionResult } from './run-execution.ts';
import { countLosses, MAX_LOSSES_TOTAL } from './run-losses.ts';
import { identityOf } from './run-rows.ts';
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
 * Reads the unfinished runs of an earlier server, thread by thread, the oldest first. The runs of a thread
 * are in the order in which they were accepted, even if the clocks of servers differ. Running ones that
 * continue become pending again. Unreadable rows are skipped and left unchanged.
 * @param only reads only the runs with these IDs.
 */
export async function* readUnfinishedThreads(
  options: UnfinishedRunsOptions,
  only?: ReadonlySet<string>,
): AsyncGenerator<readonly UnfinishedRun[]> {
  const rows = await options.runs.listUnfinished(only);
  for (const ofThread of Map.groupBy(rows, ({ thread_id }) => thread_id).values()) {
    const unfinished: UnfinishedRun[] = [];
    for (const row of ofThread.toSorted((one, other) => one.thread_order - other.thread_order)) {
      const identity = readIdentity(row, options.logger);
      if (identity !== undefined) unfinished.push(await readUnfinishedRun(row, identity, options));
    }
    yield unfinished;
  }
}

async function readUnfinishedRun(
  row: RunRow,
  identity: RunIdentity,
  options: UnfinishedRunsOptions,
): Promise<UnfinishedRun> {
  const { db, queue, logger, runs } = options;
  const stream = new RunStream(row, { db, queue }, await runs.findLastEvent(row.run_id));
  const run = new LiveRun(identity, stream, row.attempt, row.created_at);
  run.startedAt = row.started_at ?? undefined;
  run.hasPlace = row.started_at !== null;
  run.cost = row.cost;
  run.revisionId = row.revision_id;
  if (row.cancel_action !== null) {
    run.cancelled = { action: row.cancel_action, reason: row.cancel_reason ?? undefined };
    return { run, end: { status: 'cancelled', state: null } };
  }
  if (row.status !== 'running') return { run };
  const end = await endIfNotContinued(run, options);
  if (end !== undefined) return { run, end };
  logger.info({ run_id: row.run_id, attempt: row.attempt + 1 }, 'continuing a run that had not ended');
  await queue.write(row.thread_id, (unit) => runs.update(unit, row.run_id, { status: 'pending' }));
  return { run };
}

function readIdentity(row: RunRow, logger: Logger): RunIdentity | undefined {
  try {
    return identityOf(row);
  } catch (err) {
    logger.error({ err, run_id: row.run_id }, 'could not read a run, so it is not continued');
    return undefined;
  }
}

/** The end of a run that an earlier server was executing; undefined if the run continues. */
async function endIfNotContinued(
  run: LiveRun,
  { checkpoints, continueAfterCrash }: UnfinishedRunsOptions,
): Promise<ExecutionResult | undefined> {
  if (!continueAfterCrash) return { status: 'lost', state: null };
  const times = await countLosses(run, checkpoints);
  return times < MAX_LOSSES_TOTAL ? undefined : { status: 'lost', state: null, times };
}
