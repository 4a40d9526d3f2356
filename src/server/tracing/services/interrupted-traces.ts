import type { InterruptedSpans } from '../ingestion/end-interrupted.ts';
import type { TracingServices } from './services.ts';

/** The time at which this process started. */
export const processStart = new Date(performance.timeOrigin);
const LOST = 'interrupted: the process that ran it stopped before it ended.';

/** Finds traces that have not ended, and ends spans that lost processes of one deployment have left open. */
export class InterruptedTraces {
  readonly #services: TracingServices;
  readonly #workspaceId: string;
  readonly #project: string;

  constructor(services: TracingServices, workspaceId: string, project: string) {
    this.#services = services;
    this.#workspaceId = workspaceId;
    this.#project = project;
  }

  /**
   * Lists the runs of all deployments of the workspace whose traces have not ended.
   * @param atStart whether to use the writing thread, because no reading thread may be running yet. Later, the reading
   * threads are used, so as not to delay writes.
   */
  async listOpenRuns({ atStart }: { readonly atStart: boolean }): Promise<readonly string[]> {
    const { hasTraces, read, write } = this.#services;
    if (!hasTraces()) return [];
    const request = { workspaceId: this.#workspaceId };
    return atStart ? write('listOpenRuns', request) : read('listOpenRuns', request);
  }

  /**
   * Ends the whole trace of a run that was given up. @param before spans that began after this time belong to a living
   * process, and stay open.
   */
  endTrace(runId: string, before = new Date()): Promise<void> {
    return this.#end(LOST, before, { kind: 'trace', traceId: runId });
  }

  /** Ends the spans of a run's attempts before the last one, except for the root. */
  endEarlierAttempts(runId: string, last: { attempt: number; startedAt: Date }): Promise<void> {
    const message = `interrupted: this attempt was cut off, and attempt ${last.attempt} continued the run.`;
    return this.#end(message, last.startedAt, { kind: 'attempts', traceId: runId, before: last.attempt });
  }

  /**
   * Ends the traces that an earlier server process has left open in the deployment's project.
   * @param except the traces of runs that continue.
   */
  endOrphanedTraces(except: readonly string[]): Promise<void> {
    return this.#end(LOST, processStart, {
      kind: 'project',
      name: this.#project,
      except,
    });
  }

  async #end(message: string, startedBefore: Date, which: InterruptedSpans['which']): Promise<void> {
    const { write, publish, hasTraces } = this.#services;
    if (!hasTraces()) return;
    const workspaceId = this.#workspaceId;
    const request = { workspaceId, message, startedBefore: startedBefore.getTime() * 1000, which };
    publish(workspaceId, await write('endInterrupted', request));
  }
}
