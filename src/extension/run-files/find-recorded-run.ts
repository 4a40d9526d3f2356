import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';

/** The maximum number of a thread's newest runs that are searched. */
const MAX_RUNS = 100;

/**
 * Finds a recorded run of a thread.
 * @param runId of the run; by default the newest recorded one among the last `MAX_RUNS` runs
 * @returns its ID
 * @throws Error if it was not recorded, RequestError
 */
export async function findRecordedRun(
  { runs }: Pick<Client, 'runs'>,
  thread_id: string,
  runId: string | undefined,
): Promise<string> {
  const found =
    runId === undefined
      ? await runs.list({ params: { thread_id }, query: { limit: MAX_RUNS } })
      : [await runs.get({ params: { thread_id, run_id: runId } })];
  const id = found.find(({ kwargs }) => kwargs?.record === true)?.run_id;
  if (id !== undefined) return id;
  throw noRecordingError();
}

/** The error when no run was recorded, with the way to record one. */
export function noRecordingError(): Error {
  return new Error(
    vscode.l10n.t(
      'No run was recorded here. Turn on recording in the options of the run panel, and run again.',
    ),
  );
}
