import { interruptsOf } from '../client/run-events.ts';
import type { RunEvent } from '../contract/agent-server/run-events.ts';

/** What a run came to, gathered from its events as they pass. */
export class RunOutcome {
  runId: string | undefined;
  /** The run's error, if it ended in one. */
  error: { readonly error: string; readonly message: string } | undefined;
  /** The questions it stopped at, by interrupt id. */
  readonly interrupts = new Map<string, unknown>();
  /** Feedback key to pre-signed address. */
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
