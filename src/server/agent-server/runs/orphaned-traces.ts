import type { Logger } from '../../logger.ts';
import type { InterruptedTraces } from '../../tracing/interrupted-traces.ts';
import type { LiveRun } from './live-run.ts';

/** Ends spans that lost processes left open. A failure for one trace does not affect others. */
export class OrphanedTraces {
  readonly #traces: InterruptedTraces;
  readonly #logger: Logger;

  constructor(traces: InterruptedTraces, logger: Logger) {
    this.#traces = traces;
    this.#logger = logger;
  }

  /**
   * Ends the spans of an ended run whose process was lost.
   * @param lost whether its last attempt was lost too; it began at `startedAt` otherwise.
   */
  endRun(
    { identity: { runId }, attempt }: LiveRun,
    { lost, startedAt }: { lost: boolean; startedAt: Date },
  ): void {
    this.#try(
      lost ? this.#traces.endTrace(runId) : this.#traces.endEarlierAttempts(runId, { attempt, startedAt }),
    );
  }

  /** Ends the spans of runs of earlier servers, except for runs that continue. */
  endOrphanedTraces(continued: readonly LiveRun[]): void {
    this.#try(this.#traces.endOrphanedTraces(continued.map(({ identity }) => identity.runId)));
  }

  #try(work: Promise<void>): void {
    work.catch((error: unknown) => this.#logger.warn({ err: error }, 'interrupted traces'));
  }
}
