import type { InterruptedSpans } from '../ingestion/end-interrupted.ts';
import type { TracingServices } from './services.ts';

/** When this process began. */
export const STARTED = new Date(performance.timeOrigin);
const LOST = 'interrupted: the process that ran it stopped before it ended.';

/** Ends spans that lost processes of one deployment have left open. */
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
   * @param atStart asks the writing thread, because the reading one may not run yet. Later it asks the reading
   * one, so as not to delay writes.
   */
  async listOpenRuns({ atStart }: { readonly atStart: boolean }): Promise<readonly string[]> {
    const { hasTraces, read, write } = this.#services;
    if (!hasTraces()) return [];
    const request = { workspaceId: this.#workspaceId };
    return atStart ? write('listOpenRuns', request) : read('listOpenRuns', request);
  }

  /**
   * Ends the whole trace of a run that was given up.
   * @param before spans that began later belong to a living process.
   */
  endTrace(runId: string, before = new Date()): Promise<void> {
    return this.#end(LOST, before, { kind: 'trace', traceId: runId });
  }

  /** Ends the spans, except the root, of the attempts before the final one of a run. */
  endEarlierAttempts(runId: string, last: { attempt: number; startedAt: Date }): Promise<void> {
    const message = `interrupted: this attempt was cut off, and attempt ${last.attempt} continued the run.`;
    return this.#end(message, last.startedAt, { kind: 'attempts', traceId: runId, before: last.attempt });
  }

  /** Ends the traces in the deployment's project of all runs of an earlier server process, except those that are continued. */
  endOrphanedTraces(except: readonly string[]): Promise<void> {
    return this.#end(LOST, STARTED, {
      kind: 'project',
      name: this.#project,
      except,
    });
  }

  async #end(message: string, startedBefore: Date, of: InterruptedSpans['of']): Promise<void> {
    const { write, publish, hasTraces } = this.#services;
    if (!hasTraces()) return;
    const workspaceId = this.#workspaceId;
    const request = { workspaceId, message, startedBefore: startedBefore.toISOString(), of };
    publish(workspaceId, await write('endInterrupted', request));
  }
}
