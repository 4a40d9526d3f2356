import * as vscode from 'vscode';
import type { Command } from './command.ts';

/** Makes an empty thread, with a name when one is given. */
export const createThread: Command = async ({ deployments, trees }) => {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New thread'),
    prompt: vscode.l10n.t(
      'Its name, if it should have one. Its ID otherwise, until something is said on it.',
    ),
  });
  if (name === undefined) return;
  const { client } = await deployments.open();
  const metadata = name.trim() === '' ? {} : { name: name.trim() };
  await client.threads.create({ body: { metadata, if_exists: 'raise' } });
  trees.threads.refresh();
};
