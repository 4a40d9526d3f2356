import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { ConnectionElement } from '../../views/connections.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { keyOf } from '../arguments/key-of.ts';
import { rowCommand } from '../command.ts';

/** Copies the address of a deployment's agent server. */
export const copyUrl = rowCommand(
  [DeploymentElement, PlatformDeploymentElement, ConnectionElement],
  async ({ deployments }: { readonly deployments: Deployments }, row) => {
    // The client of an open deployment always has the address of its agent server.
    const { client } = await deployments.open(keyOf(row));
    await vscode.env.clipboard.writeText(await reachableUrl(client.connection.deploymentUrl ?? ''));
  },
);

/**
 * Makes an address usable on the user's machine: in a remote window, VS Code forwards it from the remote
 * machine.
 */
async function reachableUrl(url: string): Promise<string> {
  const isElsewhere = vscode.env.remoteName !== undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  if (!isElsewhere || url === '') return url;
  return (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString().replace(/\/$/, '');
}
