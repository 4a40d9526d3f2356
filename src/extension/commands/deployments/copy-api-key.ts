import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { keyOf } from '../arguments/key-of.ts';
import { rowCommand } from '../command.ts';

/** Copies the key that SDKs send to the local platform and to local agents that require one. */
export const copyApiKey = rowCommand(
  [DeploymentElement],
  async ({ deployments }: { readonly deployments: Deployments }, row) => {
    // The row is of an open folder, so this is the local server, which always has a key.
    const { client } = await deployments.open(keyOf(row));
    await vscode.env.clipboard.writeText(client.connection.credentials.apiKey ?? '');
  },
);
