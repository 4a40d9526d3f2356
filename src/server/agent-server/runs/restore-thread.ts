import type { Updateable } from 'kysely';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { busyOr } from '../data/thread-queries.ts';
import type { LiveRun, RunOutcome } from './live-run.ts';
import { untilStored } from './until-stored.ts';

export interface RestoringOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly logger: Logger;
  /** Reads a thread's newest state from its checkpoints. */
  readState(threadId: string, graphId: string): Promise<Updateable<ThreadTable>>;
}

/**
 * Sets the thread of an ended run to the state of its checkpoints, unless its state has changed in the
 * meantime. Failures are only logged, because the run has already ended.
 * @param outcome the outcome of a run that was not undone; the thread keeps its error.
 * @param closing aborted when the server stops.
 */
export async function restoreThread(
  { identity: { runId, threadId, graphId } }: LiveRun,
  outcome: RunOutcome | undefined,
  { db, queue, logger, readState }: RestoringOptions,
  closing: AbortSignal,
): Promise<void> {
  const changedAt = db.selectFrom('threads').select('state_updated_at').where('thread_id', '=', threadId);
  try {
    const before = await db.outlasting(() => changedAt.executeTakeFirst());
    if (before === undefined) return;
    const read = db.outlasting(() => readState(threadId, graphId));
    const state = await read.catch((err: unknown) => {
      // This error is only thrown while the server stops.
      if (err instanceof DatabaseUnreachable) throw err;
      // If the state cannot be read, for example because the graph no longer exists, the thread keeps its
      // earlier values.
      logger.warn({ thread_id: threadId, err }, 'could not read the state of a thread');
      return { status: 'idle' as const };
    });
    const store = (): Promise<void> =>
      queue.writeForRun(threadId, (unit) => {
        const updated_at = new Date().toISOString();
        const status = busyOr(state.status ?? 'idle');
        const reached = outcome?.error === undefined ? { ...state, status } : withoutEnd(state);
        const change = { ...reached, updated_at };
        unit.do(
          unit.build
            .updateTable('threads')
            .set(change)
            .where('thread_id', '=', threadId)
            .where(
              'state_updated_at',
              before.state_updated_at === null ? 'is' : '=',
              before.state_updated_at,
            ),
        );
      });
    await untilStored(store, { what: 'the state of a thread', runId, logger, closing });
  } catch (err) {
    logger.warn({ thread_id: threadId, err }, 'could not restore the state of a thread');
  }
}

/** A thread's new state without the columns that describe how its last run ended. */
function withoutEnd({ status: _status, error: _error, ...state }: Updateable<ThreadTable>) {
  return state;
}
