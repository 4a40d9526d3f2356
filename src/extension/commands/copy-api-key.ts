import * as vscode from 'vscode';
import { keyOf } from '../dialogs/key-of.ts';
import type { Command } from './command.ts';

/** Copies the key that SDKs show the local platform, and an agent here that asks for one. */
export const copyApiKey: Command = async ({ deployments }, given) => {
  const { client } = await deployments.open(keyOf(given));
  await vscode.env.clipboard.writeText(client.connection.credentials.apiKey ?? '');
};
