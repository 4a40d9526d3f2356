import { z } from 'zod';
import { HttpError } from '../../http/errors.ts';
import { readFirst } from '../../storage/reading.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { lastCheckpointOfRun, newestCheckpointId } from '../data/checkpoints/checkpoint-queries.ts';
import type { RunRow } from '../data/run-store.ts';
import { findThread } from '../data/thread-queries.ts';
import type { ReachedState } from '../states/thread-states.ts';
import type { RunOutcome } from './live-run.ts';
import { withInterrupts } from './run-outcome.ts';

const Failure = z.object({ error: z.string(), message: z.string() });

export interface RunResultsOptions {
  readonly db: StateDatabase;
  /** Reads the state at a checkpoint; undefined when it has been deleted. */
  readAt(threadId: string, graphId: string, checkpointId: string): Promise<ReachedState | undefined>;
}

/** Reads how runs ended, and the states that they reached, even if their threads have changed since. */
export class RunResults {
  readonly #options: RunResultsOptions;
  constructor(options: RunResultsOptions) {
    this.#options = options;
  }

  /**
   * Reads how a run ended, and the state that it reached.
   * @throws HttpError 404 if its last checkpoint has been deleted, 503 if its graph is needed and does not
   * answer.
   */
  async read(row: RunRow): Promise<RunOutcome> {
    const { status } = row;
    if (row.error !== null) return { status, values: null, error: Failure.parse(JSON.parse(row.error)) };
    const reached = await this.#readState(row);
    if (reached === undefined) return { status, values: null };
    return { status, values: withInterrupts(reached.values ?? '{}', row.interrupts ?? reached.interrupts) };
  }

  /**
   * The values that a run reached, as JSON, even if it then failed; undefined if it ended before it reached
   * any.
   * @throws the errors of `read`.
   */
  async readValues(row: RunRow): Promise<string | undefined> {
    return (await this.#readState(row))?.values ?? undefined;
  }

  async #readState(row: RunRow): Promise<ReachedState | undefined> {
    const { run_id, thread_id, deployment_id, last_checkpoint_id } = row;
    const ofRoot = { thread_id, checkpoint_ns: '' };
    const { thread, newest, own } = await this.#options.db.look(function* () {
      // The row has no last checkpoint if the run ended without a result, or in an earlier version.
      const last =
        last_checkpoint_id === null
          ? yield* readFirst(lastCheckpointOfRun, { ...ofRoot, run_id })
          : undefined;
      return {
        thread: yield* readFirst(findThread, { thread_id, deployment_id }),
        newest: (yield* readFirst(newestCheckpointId, ofRoot))?.checkpoint_id,
        own: last_checkpoint_id ?? last?.checkpoint_id,
      };
    });
    // The run ended before it could reach any state.
    if (own === undefined) return undefined;
    const reached = own === newest ? thread : await this.#options.readAt(thread_id, row.graph_id, own);
    if (reached === undefined)
      throw new HttpError(404, `The state that run '${run_id}' ended with has been deleted.`);
    return reached;
  }
}
