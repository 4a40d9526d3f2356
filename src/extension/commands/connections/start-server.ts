import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { AutoStart } from '../../deployments/auto-start.ts';
import type { Command } from '../command.ts';

interface StartServerParts {
  readonly connections: Connections;
  readonly autoStart: AutoStart;
}

/** Starts the local server, or connects to the one that is running, and serves the open folders. */
export const startServer: Command<StartServerParts> = async ({ connections: { local }, autoStart }) => {
  autoStart.release();
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () => local.connect());
};
