import { SpanElement, TraceElement } from '../views/traces.ts';
import type { Command } from './command.ts';

/** Shows the trace of a row in the trace panel, at the row's span. */
export const openTrace: Command = async ({ tracePanels }, given) => {
  if (!(given instanceof TraceElement || given instanceof SpanElement)) return;
  const { connection, traceId, traceName, runId } = given;
  // A trace as a whole begins with what failed in it.
  const spanId = given instanceof SpanElement ? runId : undefined;
  (await tracePanels()).open({ connection, traceId, name: traceName, spanId });
};
