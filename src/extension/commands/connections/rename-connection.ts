import * as vscode from 'vscode';
import { type ChooseRemoteParts, chooseRemote } from '../arguments/choose-remote.ts';
import type { Command } from '../command.ts';

/** Renames a connection. */
export const renameConnection: Command<ChooseRemoteParts> = async (parts, argument) => {
  const remote = await chooseRemote(parts, argument, vscode.l10n.t('Select the connection to rename'));
  if (remote === undefined) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Connection'),
    prompt: vscode.l10n.t('Connection name'),
    value: remote.label,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
  });
  if (name !== undefined) await parts.connections.rename(remote.id, name.trim());
};
