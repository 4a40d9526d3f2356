import * as vscode from 'vscode';
import { ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';

/** Deletes a thread with its state and runs, after asking. Its traces stay. */
export const deleteThread: Command = async ({ trees }, given) => {
  if (!(given instanceof ThreadElement)) return;
  const confirm = vscode.l10n.t('Delete');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the thread “{0}”?', given.label),
    { modal: true, detail: vscode.l10n.t('Its state and its runs go with it, for good. Its traces stay.') },
    confirm,
  );
  if (chosen !== confirm) return;
  await given.opened.client.threads.delete({ params: { thread_id: given.thread.thread_id } });
  trees.threads.refresh();
};
