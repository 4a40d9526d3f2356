import type { RunToSave } from '../../run-files/save-run.ts';
import type { MakeTestsParts } from '../../testing/make-tests.ts';
import type { TestSource } from '../../testing/write-tests.ts';
import { rowsOfKind } from '../../views/selected-rows.ts';
import { ThreadElement } from '../../views/threads.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';
import { type FindRunParts, findRun, findRunOfTrace } from '../run-files/find-run.ts';

/** Makes tests from the selected traces, or from the last run of a thread or of the active run panel. */
export const makeTest: Command<FindRunParts & MakeTestsParts> = async (parts, argument, selected) => {
  const sources = await findSources(parts, argument, selected);
  const { makeTests } = await import('../../testing/make-tests.ts');
  await makeTests(parts, sources);
};

/** A thread stands for its last run. */
type Found = TestSource | RunToSave;

async function findSources(
  parts: FindRunParts,
  argument: unknown,
  selected: unknown,
): Promise<readonly Found[]> {
  const kinds = [TraceElement, SpanElement, ThreadElement] as const;
  const rows = rowsOfKind(kinds, argument, selected);
  if (rows === 'lost' || rows.length === 0) return [await findRun(parts, undefined)];
  return Promise.all(
    rows.map(async (row): Promise<Found> => {
      if (row instanceof ThreadElement) return findRun(parts, row);
      const { client, runId } = row;
      // If the run is not found, only the trace is used: another program's trace, for example, has no thread
      // here.
      const run =
        row instanceof TraceElement ? await findRunOfTrace(parts, row).catch(() => undefined) : undefined;
      return { client, runId, run };
    }),
  );
}
