import { SpanElement, TraceElement } from '../views/traces.ts';
import type { Command } from './command.ts';

/** Shows the inputs, outputs and feedback of a run of a trace as JSON. */
export const openSpan: Command = async ({ documents }, given) => {
  if (given instanceof SpanElement || given instanceof TraceElement) {
    await documents.showSpan(given.connection, given.label, given.runId);
  }
};
