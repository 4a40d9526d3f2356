import type { RunEvent } from '../contract/agent-server/run-events.ts';
import { interruptsOf } from './run-events.ts';

/** Collects the state of a run from its events. If a stream has several runs, this is the state of the last one. */
export class RunProgress {
  runId: string | undefined;
  /** The run's error, if it failed. */
  error: { readonly error: string; readonly message: string } | undefined;
  /** Pending interrupts, by ID, or by their value as JSON if they have none. */
  readonly interrupts = new Map<string, unknown>();
  /** The pre-signed URL for each feedback key. */
  feedback: Readonly<Record<string, string>> = {};
  /** The last values of the root graph; undefined when the stream has none. */
  values: unknown;

  observe(event: RunEvent): void {
    // Only events of subgraphs have a namespace. The root graph may catch the error of a subgraph.
    const isRoot = event.namespace.length === 0;
    if (event.kind === 'metadata' && event.data.run_id !== this.runId) this.#begin(event.data.run_id);
    if (event.kind === 'feedback') this.feedback = event.data;
    if (event.kind === 'values' && isRoot) this.values = event.data;
    if (event.kind === 'error' && isRoot) this.error = event.data;
    for (const { id, value } of interruptsOf(event)) {
      this.interrupts.set(id ?? JSON.stringify(value), value);
    }
  }

  /** Forgets the state of an earlier run. */
  #begin(runId: string): void {
    this.runId = runId;
    this.error = undefined;
    this.interrupts.clear();
    this.feedback = {};
    this.values = undefined;
  }
}
