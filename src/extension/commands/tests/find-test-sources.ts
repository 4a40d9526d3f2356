import type { RunToSave } from '../../run-files/save-run.ts';
import type { TestSource } from '../../testing/write-tests.ts';
import { rowsOfKind } from '../../views/selected-rows.ts';
import { ThreadElement } from '../../views/threads.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import { refreshingError } from '../command.ts';
import { type FindRunParts, findRun, findRunOfTrace, lastRunOf } from '../run-files/find-run.ts';

/** A trace or span with its run, or the last run of a thread. */
type Found = TestSource | RunToSave;

/**
 * Finds what to make tests from: the selected traces, spans and threads, or the thread of the active run
 * panel.
 * @param args the arguments of the command; see `findRun`
 * @throws Error if there is none, RequestError
 */
export async function findTestSources(
  parts: FindRunParts,
  args: readonly unknown[],
): Promise<readonly Found[]> {
  if (args.length === 0) return [await findRun(parts, args)];
  const [argument, selected] = args;
  const rows = rowsOfKind([TraceElement, SpanElement, ThreadElement], argument, selected);
  if (rows === 'lost') throw refreshingError();
  // The title bar of a run panel passes its editor.
  if (rows.length === 0) return [await findRun(parts, args)];
  return Promise.all(rows.map((row) => sourceOf(parts, row)));
}

async function sourceOf(
  parts: FindRunParts,
  row: TraceElement | SpanElement | ThreadElement,
): Promise<Found> {
  if (row instanceof ThreadElement) return lastRunOf(row);
  const { client, runId } = row;
  // If no deployment here has its thread, for example because another program sent the trace, only the trace
  // is used.
  const run = row instanceof TraceElement ? await findRunOfTrace(parts, row) : undefined;
  return { client, runId, run };
}
