import * as vscode from 'vscode';
import { keyOf } from '../dialogs/key-of.ts';
import type { Command } from './command.ts';

/** Copies the address of a deployment's agent server. */
export const copyUrl: Command = async ({ deployments }, given) => {
  const { client } = await deployments.open(keyOf(given));
  await vscode.env.clipboard.writeText(client.connection.deploymentUrl ?? '');
};
