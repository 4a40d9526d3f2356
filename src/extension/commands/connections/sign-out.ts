import * as vscode from 'vscode';
import { type ChooseRemoteParts, chooseRemote } from '../arguments/choose-remote.ts';
import type { Command } from '../command.ts';

/** Forgets the key of a platform. */
export const signOut: Command<ChooseRemoteParts> = async (parts, argument) => {
  const remote = await chooseRemote(parts, argument, vscode.l10n.t('Select the connection to sign out of'));
  if (remote !== undefined) await parts.connections.signOut(remote.id);
};
