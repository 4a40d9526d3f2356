import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';

const PAGE_SIZE = 100;

/**
 * A recorded run of a thread.
 * @param runId without it, the newest recorded run
 * @throws Error when it was not recorded, RequestError
 */
export async function findRecordedRun(
  { runs }: Pick<Client, 'runs'>,
  thread_id: string,
  runId: string | undefined,
): Promise<string> {
  const found =
    runId === undefined
      ? await runs.list({ params: { thread_id }, query: { limit: PAGE_SIZE } })
      : [await runs.get({ params: { thread_id, run_id: runId } })];
  const id = found.find(({ kwargs }) => kwargs?.record === true)?.run_id;
  if (id !== undefined) return id;
  throw noRecording();
}

export function noRecording(): Error {
  return new Error(
    vscode.l10n.t(
      'No run was recorded here. Turn on recording in the options of the run panel, and run again.',
    ),
  );
}
