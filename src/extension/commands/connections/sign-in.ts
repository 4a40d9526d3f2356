import * as vscode from 'vscode';
import { type ChooseRemoteParts, chooseRemote } from '../arguments/choose-remote.ts';
import type { Command } from '../command.ts';

/** Asks for the key of a platform, and for a workspace when the key has access to several. */
export const signIn: Command<ChooseRemoteParts> = async (parts, argument) => {
  const remote = await chooseRemote(parts, argument, vscode.l10n.t('Select the connection to sign in to'));
  if (remote === undefined) return;
  const { headers } = await parts.connections.readCredentials(remote.id);
  const { signIn: signInTo } = await import('../../connections/sign-in.ts');
  await signInTo(parts.connections, remote.stored, headers === undefined ? {} : { headers });
};
