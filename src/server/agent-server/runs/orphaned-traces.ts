import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { type InterruptedTraces, processStart } from '../../tracing/services/interrupted-traces.ts';
import { listEndedRuns } from './list-ended-runs.ts';
import type { LiveRun } from './live-run.ts';

export interface OrphanedTracesOptions {
  readonly db: Pick<StateDatabase, 'selectFrom'>;
  readonly traces: InterruptedTraces;
  readonly deploymentId: string;
  readonly logger: Logger;
}

/** Ends the spans that lost processes left open. Failures are only logged. */
export class OrphanedTraces {
  readonly #options: OrphanedTracesOptions;

  constructor(options: OrphanedTracesOptions) {
    this.#options = options;
  }

  /**
   * Ends the spans of an ended run whose process was lost.
   * @param lost whether its last attempt was lost too; otherwise that attempt began at `startedAt`.
   */
  endRun(
    { identity: { runId }, attempt }: LiveRun,
    { lost, startedAt }: { lost: boolean; startedAt: Date },
  ): void {
    const { traces } = this.#options;
    this.#logFailure(
      lost ? traces.endTrace(runId) : traces.endEarlierAttempts(runId, { attempt, startedAt }),
    );
  }

  /** Ends the spans that the runs of earlier servers left open, except for runs that are continued. */
  endOrphanedTraces(continued: readonly LiveRun[]): void {
    const continuedIds = continued.map(({ identity }) => identity.runId);
    this.#logFailure(
      this.#options.traces.endOrphanedTraces(continuedIds).then(() => this.#endInOtherProjects()),
    );
  }

  /**
   * Ends spans in other projects. A run may name any project for its trace, and the project may also have
   * traces of other servers, so only those of ended runs of this deployment are ended.
   */
  async #endInOtherProjects(): Promise<void> {
    const { db, traces, deploymentId } = this.#options;
    const ended = await listEndedRuns(db, deploymentId, await traces.listOpenRuns({ atStart: true }));
    for (const { run_id } of ended) await traces.endTrace(run_id, processStart);
  }

  #logFailure(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, 'the spans of a lost process could not be ended'),
    );
  }
}
