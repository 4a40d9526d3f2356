import * as vscode from 'vscode';
import { ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';

/** Gives a thread a name, which is kept in its metadata. */
export const renameThread: Command = async ({ trees }, given) => {
  if (!(given instanceof ThreadElement)) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Thread'),
    value: given.label,
    prompt: vscode.l10n.t('Thread name. Leave empty to use the first message.'),
  });
  if (name === undefined || name === given.label) return;
  const { thread_id } = given.thread;
  // Metadata is merged: a name is taken away by an empty one.
  await given.opened.client.threads.update({
    params: { thread_id },
    body: { metadata: { name: name.trim() } },
  });
  trees.threads.refresh();
};
