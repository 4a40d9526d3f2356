import * as vscode from 'vscode';
import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Deploys to where it went the last time, in one step. */
export const deployAgain: Command = async ({ deploying }, given) => {
  const uri = given instanceof DeploymentElement ? given.config.uri : given;
  await (await deploying()).deployAgain(uri instanceof vscode.Uri ? uri.fsPath : undefined);
};
