import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Kinds } from '../../replay/run-file.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import { type ReplayOptions, readOutline, replayRunFile } from '../../run-files/replay-run-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import type { CommandParts } from '../commands/command.ts';
import { chooseRunFile } from './choose-run-file.ts';
import { openForGraph } from './find-graph.ts';
import { showOutcome } from './show-outcome.ts';
import { withCancel } from './with-cancel.ts';

/**
 * Runs a run file again, answered from it, and shows where it went another way. Its thread stays when it did.
 * @throws RunFileError, RequestError, EnvFileError, ActionableError
 */
export async function replayRun(
  parts: Pick<CommandParts, 'deployments' | 'documents' | 'panels'>,
  argument: unknown,
): Promise<void> {
  const file = await chooseRunFile(argument, vscode.l10n.t('Replay Run File'));
  if (file === undefined) return;
  const name = basename(file);
  const how = await chooseHow(name);
  if (how === undefined) return;
  const open = (kinds?: Kinds) => openRunFile(file, kinds);
  const { head } = await readOutline(open);
  const { key, client, config } = await openForGraph(parts.deployments, head.graph_id);
  const secrets = config === undefined ? [] : (await describeProject(config.uri.fsPath, process.env)).secrets;
  const outcome = await withCancel(vscode.l10n.t('Replaying {0}', name), (signal) =>
    replayRunFile(client, open, { ...how, secrets, signal }),
  );
  const params = { thread_id: outcome.threadId };
  if (outcome.kind === 'same' && !outcome.isNew) await client.threads.delete({ params });
  else {
    const metadata = { name: vscode.l10n.t('Replay of {0}', name) };
    await client.threads.update({ params, body: { metadata } });
  }
  const shown = await showOutcome(parts.documents, name, outcome);
  if (shown !== 'open thread') return;
  const target = {
    deployment: key,
    assistantId: head.graph_id,
    name: head.graph_id,
    threadId: outcome.threadId,
  };
  (await parts.panels()).open(target);
}

type How = Pick<ReplayOptions, 'tools' | 'allowNew'>;

async function chooseHow(name: string): Promise<How | undefined> {
  const items: (vscode.QuickPickItem & How)[] = [
    {
      label: vscode.l10n.t('From the File'),
      description: vscode.l10n.t('Models and tools answer from the file; nothing is sent'),
      tools: 'recorded',
      allowNew: false,
    },
    {
      label: vscode.l10n.t('With Live Tools'),
      description: vscode.l10n.t('Models answer from the file; everything else is sent'),
      tools: 'live',
      allowNew: false,
    },
    {
      label: vscode.l10n.t('With New Requests'),
      description: vscode.l10n.t('Requests that were not recorded are sent'),
      tools: 'recorded',
      allowNew: true,
    },
  ];
  return vscode.window.showQuickPick(items, { title: vscode.l10n.t('Replay {0}', name) });
}
