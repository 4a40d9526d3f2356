import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

/** Shows the trace of a row in the trace panel, at the row's span. */
export const openTrace = rowCommand(
  [TraceElement, SpanElement],
  async ({ tracePanels }: { readonly tracePanels: () => Promise<TracePanels> }, row) => {
    const { connection, traceId, traceName, runId } = row;
    // Without a span, the panel selects the one that failed, or the root.
    const spanId = row instanceof SpanElement ? runId : undefined;
    (await tracePanels()).open({ connection, traceId, name: traceName, spanId });
  },
);
