import * as vscode from 'vscode';
import { type ChooseRemoteParts, chooseRemote } from '../arguments/choose-remote.ts';
import type { Command } from '../command.ts';

/** Tries to connect to a platform again at once. */
export const reconnect: Command<ChooseRemoteParts> = async (parts, argument) => {
  const remote = await chooseRemote(parts, argument, vscode.l10n.t('Select a connection to reconnect'));
  if (remote === undefined) return;
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () => remote.connect());
};
