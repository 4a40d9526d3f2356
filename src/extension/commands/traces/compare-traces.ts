import * as vscode from 'vscode';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

/** Shows two selected traces side by side, the older one on the left. */
export const compareTraces = rowCommand(
  [TraceElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, first, traces) => {
    const [, second] = traces;
    if (second === undefined || traces.length > 2)
      throw new Error(vscode.l10n.t('Select two traces to compare.'));
    const isLater = (first.startTime ?? '') > (second.startTime ?? '');
    const [before, after] = isLater ? [second, first] : [first, second];
    const title = before.label === after.label ? before.label : `${before.label} ↔ ${after.label}`;
    await documents.compareTraces(first.connection, [before.traceId, after.traceId], title);
  },
);
