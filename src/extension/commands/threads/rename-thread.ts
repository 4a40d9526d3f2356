import * as vscode from 'vscode';
import type { Trees } from '../../views/live-refresh.ts';
import { ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/** Gives a thread a name, which is kept in its metadata. */
export const renameThread = rowCommand([ThreadElement], async ({ trees }: { readonly trees: Trees }, row) => {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Thread'),
    value: row.label,
    prompt: vscode.l10n.t('Thread name. Leave empty to use the first message.'),
  });
  if (name === undefined || name === row.label) return;
  const { thread_id } = row.thread;
  // Metadata is merged, so the name can only be replaced; an empty name counts as none.
  await row.opened.client.threads.update({
    params: { thread_id },
    body: { metadata: { name: name.trim() } },
  });
  trees.threads.refresh();
});
