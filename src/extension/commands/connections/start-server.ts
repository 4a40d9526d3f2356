import * as vscode from 'vscode';
import type { Command } from '../command.ts';

/** Starts the local server, or attaches to the one that runs, and serves the open folders. */
export const startServer: Command = async ({ connections: { local }, autoStart }) => {
  autoStart.release();
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () => local.connect());
};
