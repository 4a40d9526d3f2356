import { interruptsOf } from '../client/run-events.ts';
import type { RunEvent } from '../contract/agent-server/run-events.ts';

/** The outcome of a run, collected from its events. */
export class RunOutcome {
  runId: string | undefined;
  /** The run's error, if it ended in one. */
  error: { readonly error: string; readonly message: string } | undefined;
  /** Pending interrupts, by ID. */
  readonly interrupts = new Map<string, unknown>();
  /** Feedback key to pre-signed URL. */
  feedback: Readonly<Record<string, string>> = {};

  observe(event: RunEvent): void {
    if (event.kind === 'metadata') this.runId = event.data.run_id;
    if (event.kind === 'feedback') this.feedback = event.data;
    // A subgraph's error may be caught by the graph around it.
    if (event.kind === 'error' && event.namespace.length === 0) this.error = event.data;
    for (const { id, value } of interruptsOf(event)) {
      this.interrupts.set(id ?? JSON.stringify(value), value);
    }
  }
}
