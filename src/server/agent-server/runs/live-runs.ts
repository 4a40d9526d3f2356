import type { LiveRun } from './live-run.ts';

/** The unfinished runs of a deployment, by ID and by thread in execution order. */
export class LiveRuns {
  readonly #byId = new Map<string, LiveRun>();
  readonly #byThread = new Map<string, LiveRun[]>();

  /** The IDs of runs that other servers continue. A runtime of this server may still send data for them. */
  readonly #left = new Set<string>();

  get size(): number {
    return this.#byId.size;
  }

  find(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  onThread(threadId: string): readonly LiveRun[] {
    return this.#byThread.get(threadId) ?? [];
  }

  all(): readonly LiveRun[] {
    return [...this.#byId.values()];
  }

  /** Called when another server continues a run, so that data that still arrives for it here is ignored. */
  leave(runId: string): void {
    this.#left.add(runId);
  }

  hasLeft(runId: string): boolean {
    return this.#left.has(runId);
  }

  /** The threads that have live runs. */
  threads(): readonly string[] {
    return [...this.#byThread.keys()];
  }

  /** Adds a run as the last one of its thread. */
  add(run: LiveRun): void {
    const { runId, threadId } = run.identity;
    this.#byId.set(runId, run);
    const line = this.#byThread.get(threadId);
    if (line === undefined) this.#byThread.set(threadId, [run]);
    else line.push(run);
  }

  remove(run: LiveRun): void {
    const { runId, threadId } = run.identity;
    this.#byId.delete(runId);
    const line = this.#byThread.get(threadId)?.filter((other) => other !== run) ?? [];
    if (line.length === 0) this.#byThread.delete(threadId);
    else this.#byThread.set(threadId, line);
  }
}
