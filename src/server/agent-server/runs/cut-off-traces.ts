import type { Logger } from '../../logger.ts';
import type { InterruptedTraces } from '../../tracing/interrupted-traces.ts';
import type { LiveRun } from './live-run.ts';

/** Ends in the traces what lost processes have left open. A trace that cannot be mended costs nothing else. */
export class CutOffTraces {
  readonly #traces: InterruptedTraces;
  readonly #logger: Logger;

  constructor(traces: InterruptedTraces, logger: Logger) {
    this.#traces = traces;
    this.#logger = logger;
  }

  /**
   * Of a run that has ended and whose process was lost before.
   * @param lost whether its last attempt was lost too; it began at `startedAt` otherwise.
   */
  endRun({ identity: { runId } }: LiveRun, { lost, startedAt }: { lost: boolean; startedAt: Date }): void {
    this.#try(lost ? this.#traces.endTrace(runId) : this.#traces.endSpans(runId, startedAt));
  }

  /** Of what earlier servers have run, but for the runs that are continued. */
  endLeftOver(continued: readonly LiveRun[]): void {
    this.#try(this.#traces.endLeftOver(continued.map(({ identity }) => identity.runId)));
  }

  #try(work: Promise<void>): void {
    work.catch((error: unknown) => this.#logger.warn({ err: error }, 'interrupted traces'));
  }
}
