import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { RemoteConnection } from '../../connections/remote.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { ConnectionElement } from '../../views/connections.ts';

export interface ChooseRemoteParts {
  readonly connections: Connections;
  readonly deployments: Deployments;
}

/**
 * Finds the remote platform that a command is about: that of a row or an ID, or else the only one, or the
 * one that the user chooses.
 * @param argument a row, an ID, or `current` for the platform of the current deployment
 * @returns undefined if there is none, when canceled, or if the argument names the local server
 */
export async function chooseRemote(
  { connections, deployments }: ChooseRemoteParts,
  argument: unknown,
  placeHolder: string,
): Promise<RemoteConnection | undefined> {
  if (argument instanceof ConnectionElement) return connections.remote(argument.connection.id);
  // Welcome views are about the platform of the current deployment.
  if (argument === 'current') return connections.remote(deployments.connection.id);
  if (typeof argument === 'string') return connections.remote(argument);
  const { remotes } = connections;
  if (remotes.length <= 1) return remotes[0];
  const items = remotes.map((remote) => ({
    label: remote.label,
    description: remote.stored.workspace?.name ?? '',
    remote,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.remote;
}
