import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import type { Trees } from '../../views/live-refresh.ts';
import type { Command } from '../command.ts';

interface CreateThreadParts {
  readonly deployments: Deployments;
  readonly trees: Trees;
}

/** Creates an empty thread, with an optional name. */
export const createThread: Command<CreateThreadParts> = async ({ deployments, trees }) => {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Thread'),
    prompt: vscode.l10n.t('Thread name (optional)'),
  });
  if (name === undefined) return;
  const { client } = await deployments.open();
  const metadata = name.trim() === '' ? {} : { name: name.trim() };
  await client.threads.create({ body: { metadata, if_exists: 'raise' } });
  trees.threads.refresh();
};
