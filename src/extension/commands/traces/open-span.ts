import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

/** Shows the inputs, outputs and feedback of a run of a trace as JSON. */
export const openSpan = rowCommand(
  [SpanElement, TraceElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    await documents.showSpan(row.connection, row.label, row.runId);
  },
);
