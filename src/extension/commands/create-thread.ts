import * as vscode from 'vscode';
import type { Command } from './command.ts';

/** Makes an empty thread, with a name when one is given. */
export const createThread: Command = async ({ deployments, trees }) => {
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
