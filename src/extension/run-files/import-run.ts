import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Kinds } from '../../replay/run-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { readOutline } from '../../run-files/run-file-outline.ts';
import { importRunFile } from '../../run-files/upload-run-file.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { RunTarget } from '../deployments/run-target.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { chooseRunFile } from './choose-run-file.ts';
import { openForGraph } from './open-for-graph.ts';

export interface ImportRunParts {
  readonly deployments: Deployments;
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
}

/**
 * Creates a thread from a run file and shows it, so that it can be inspected, continued and forked.
 * @throws RunFileError, RequestError, ActionableError
 */
export async function importRun(
  { deployments, openRunPanel }: ImportRunParts,
  argument: unknown,
): Promise<void> {
  const file = await chooseRunFile(argument, vscode.l10n.t('Import Run File'));
  if (file === undefined) return;
  const open = (kinds?: Kinds) => openRunFile(file, kinds);
  const { head } = await readOutline(open);
  const { key, client } = await openForGraph(deployments, head.graph_id);
  const thread_id = randomUUID();
  const name = basename(file, '.agentrun');
  await withCancel(vscode.l10n.t('Importing {0}', basename(file)), async (signal) => {
    await importRunFile(client, open, thread_id, signal);
    await client.threads.update({ params: { thread_id }, body: { metadata: { name } } }, { signal });
  });
  const { graph_id } = head;
  await openRunPanel({ deployment: key, assistantId: graph_id, name: graph_id, threadId: thread_id });
}
