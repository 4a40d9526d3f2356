import * as vscode from 'vscode';
import { AssistantElement } from '../../views/assistants.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/**
 * Deletes an assistant with all its versions, after asking. Its threads stay. Default assistants cannot be
 * deleted.
 */
export const deleteAssistant = rowCommand(
  [AssistantElement],
  async ({ trees }: { readonly trees: Trees }, row) => {
    if (row.isDefault) return;
    const confirm = vscode.l10n.t('Delete');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Delete the assistant “{0}”?', row.label),
      { modal: true, detail: vscode.l10n.t('This permanently deletes all versions. Threads are kept.') },
      confirm,
    );
    if (chosen !== confirm) return;
    const { assistant_id } = row.assistant;
    await row.opened.client.assistants.delete({ params: { assistant_id } });
    trees.assistants.refresh();
  },
);
