import * as vscode from 'vscode';
import { DeploymentElement } from '../../views/deployments.ts';
import type { Command } from '../command.ts';

/** Repeats the last deployment without asking. */
export const deployAgain: Command = async ({ deploying }, argument) => {
  const uri = argument instanceof DeploymentElement ? argument.config.uri : argument;
  await (await deploying()).deployAgain(uri instanceof vscode.Uri ? uri.fsPath : undefined);
};
