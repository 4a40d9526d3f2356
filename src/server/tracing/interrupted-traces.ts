import type { InterruptedSpans } from './ingestion/end-interrupted.ts';
import type { TracingServices } from './services.ts';

const LOST_MESSAGE = 'interrupted: the process that ran it stopped before it ended.';

/** Ends what the killed processes of one deployment have left open in their traces. */
export class InterruptedTraces {
  readonly #services: TracingServices;
  readonly #workspaceId: string;
  readonly #project: string;

  constructor(services: TracingServices, workspaceId: string, project: string) {
    this.#services = services;
    this.#workspaceId = workspaceId;
    this.#project = project;
  }

  /** Ends the whole trace of a run that was given up. */
  endTrace(runId: string): Promise<void> {
    return this.#end(LOST_MESSAGE, new Date(), { kind: 'trace', traceId: runId, ends: 'trace' });
  }

  /** Ends the spans, except the root, that began before the attempt in which a run has ended. */
  endSpans(runId: string, startedBefore: Date): Promise<void> {
    return this.#end(LOST_MESSAGE, startedBefore, { kind: 'trace', traceId: runId, ends: 'spans' });
  }

  /** Ends the traces of all runs of an earlier server process, except those that are continued. */
  endOrphanedTraces(except: readonly string[]): Promise<void> {
    return this.#end(LOST_MESSAGE, new Date(performance.timeOrigin), {
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
