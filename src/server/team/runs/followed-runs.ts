import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import type { CommitQueue } from '../../agent-server/data/commit-queue.ts';
import type { RunRow, RunStore } from '../../agent-server/data/run-store.ts';
import { LiveRun, type RunOutcome } from '../../agent-server/runs/live-run.ts';
import type { RunResults } from '../../agent-server/runs/run-results.ts';
import { identityOf } from '../../agent-server/runs/run-rows.ts';
import { RunStream } from '../../agent-server/runs/run-stream.ts';
import { HttpError } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';

interface FollowedRunsOptions {
  readonly db: StateDatabase;
  readonly queue: CommitQueue;
  readonly runs: RunStore;
  readonly results: Pick<RunResults, 'read'>;
  readonly logger: Logger;
}

/** Follows runs that other servers work on, by reading their events and ends from the database. */
export class FollowedRuns {
  readonly #options: FollowedRunsOptions;
  readonly #followed = new Map<string, Promise<LiveRun>>();
  readonly #closing = new AbortController();

  constructor(options: FollowedRunsOptions) {
    this.#options = options;
  }

  /** Follows a run until it ends. @returns when everything stored so far has been read. */
  follow(row: RunRow): Promise<LiveRun> {
    const known = this.#followed.get(row.run_id);
    if (known !== undefined) return known;
    const run = new LiveRun(identityOf(row), new RunStream(row, this.#options), row.attempt, row.created_at);
    run.startedAt = row.started_at ?? undefined;
    if (row.status === 'running') run.state = 'running';
    const { promise, resolve } = Promise.withResolvers<LiveRun>();
    this.#followed.set(row.run_id, promise);
    void this.#read(run, () => resolve(run)).finally(() => {
      this.#followed.delete(row.run_id);
      resolve(run);
    });
    return promise;
  }

  /** Follows a run of this server that another server continues from now on. */
  keepFollowing(run: LiveRun): void {
    void this.#read(run, () => {});
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(run: LiveRun, onCaughtUp: () => void): Promise<void> {
    const { db, runs, logger } = this.#options;
    const { runId } = run.identity;
    let hasLogged = false;
    while (!this.#closing.signal.aborted) {
      const change = db.bus.next(`run:${runId}`, this.#closing.signal);
      try {
        // A run's last events are stored together with its end, so they are read after its row.
        const row = await runs.find(runId);
        for await (const events of run.stream.readStored(run.stream.lastSeq)) run.stream.show(events);
        onCaughtUp();
        if (row === undefined) return run.settle({ status: 'interrupted', values: null });
        if (row.ended_at !== null) return run.settle(await this.#outcomeOf(row));
      } catch (err) {
        // Usually, the database cannot be reached. After any error, the run is read again at the next check, which is only
        // a second later, so another error is logged once.
        if (!(err instanceof DatabaseUnreachable) && !hasLogged) {
          hasLogged = true;
          logger.warn({ err, run: runId }, 'could not read a run of another server; trying again');
        }
      }
      await change;
    }
  }

  async #outcomeOf(row: RunRow): Promise<RunOutcome> {
    try {
      return await this.#options.results.read(row);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return {
        status: row.status,
        values: null,
        error: { error: 'StateUnreadableError', message: error.message },
      };
    }
  }
}
