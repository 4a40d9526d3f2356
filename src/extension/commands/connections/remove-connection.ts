import * as vscode from 'vscode';
import { type ChooseRemoteParts, chooseRemote } from '../arguments/choose-remote.ts';
import type { Command } from '../command.ts';

/** Forgets a platform and its key, after asking. Nothing on the platform changes. */
export const removeConnection: Command<ChooseRemoteParts> = async (parts, argument) => {
  const remote = await chooseRemote(parts, argument, vscode.l10n.t('Select the connection to remove'));
  if (remote === undefined) return;
  const confirm = vscode.l10n.t('Remove');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the connection to {0}?', remote.label),
    { modal: true, detail: vscode.l10n.t('The saved key is deleted. Nothing changes on the platform.') },
    confirm,
  );
  if (chosen === confirm) await parts.connections.remove(remote.id);
};
