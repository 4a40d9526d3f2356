import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

/** Shows a span's inputs, outputs and feedback as JSON. */
export const openSpan = rowCommand(
  [SpanElement, TraceElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    await documents.showSpan(row.label, { connection: row.connection, run: row.runId });
  },
);
