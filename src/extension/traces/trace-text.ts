import { dump } from 'js-yaml';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { comparableTrace, type ListedSpan } from './comparable-trace.ts';

const FIELDS = [
  'id',
  'parent_run_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'error',
  'total_tokens',
  'inputs',
  'outputs',
  'extra',
];
/** Traces with more spans are not compared, because nobody would read a diff of them. */
const MAX_SPANS = 5_000;

/**
 * Reads a trace as YAML that can be compared line by line with that of another trace.
 * @throws RequestError; Error when there is no such trace, or it is too large
 */
export async function readTraceText({ tracing }: Client, traceId: string): Promise<string> {
  const spans: ListedSpan[] = [];
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await tracing.runs.query({
      body: { trace: traceId, order: 'asc', limit: 100, select: FIELDS, cursor: cursor ?? null },
    });
    spans.push(...runs);
    cursor = cursors.next;
    if (spans.length > MAX_SPANS)
      throw new Error(
        vscode.l10n.t('The trace has more than {0} spans, which is too many to compare.', MAX_SPANS),
      );
  } while (cursor);
  const trace = comparableTrace(spans);
  if (trace === undefined) throw new Error(vscode.l10n.t('Trace not found. It may have been purged.'));
  return dump(trace, { lineWidth: -1, noRefs: true });
}
