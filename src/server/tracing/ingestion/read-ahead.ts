import type { RunFields } from '../../../contract/tracing/runs.ts';
import type { Part, SortedParts } from '../runs/parts.ts';
import { RunRefused } from '../runs/refusal.ts';
import { parseMain } from '../runs/run-fields.ts';
import type { StoredRuns } from './stored-runs.ts';

/**
 * The maximum size of main parts that are parsed ahead. Larger ones, which contain payloads, are parsed later, because
 * otherwise all of them would be in memory at once.
 */
const MAX_BYTES = 16 * 1024;

/**
 * Preloads everything that a request refers to: runs, their parents and their traces.
 * @returns the main parts that were parsed for this.
 */
export function readAhead(
  { submissions, attachments }: SortedParts,
  bytesOf: (part: Part) => Buffer,
  stored: StoredRuns,
): Map<Part, RunFields> {
  const mains = new Map<Part, RunFields>();
  const runs = new Set(attachments.map(({ runId }) => runId));
  const traces = new Set<string>();
  for (const { runId, main } of submissions) {
    runs.add(runId);
    if (main === undefined || main.length > MAX_BYTES) continue;
    try {
      const fields = parseMain(bytesOf(main), runId, main.name);
      mains.set(main, fields);
      if (fields.parent_run_id) runs.add(fields.parent_run_id);
      if (fields.trace_id) traces.add(fields.trace_id);
    } catch (error) {
      // The part is refused when it is processed.
      if (!(error instanceof RunRefused)) throw error;
    }
  }
  stored.readAhead({ runs, traces });
  return mains;
}
