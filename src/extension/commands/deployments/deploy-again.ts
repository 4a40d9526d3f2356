import * as vscode from 'vscode';
import type { Deploying } from '../../deploy/deploying.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import type { Command } from '../command.ts';

/** Repeats the last deployment without asking. */
export const deployAgain: Command<{ readonly deploying: () => Promise<Deploying> }> = async (
  { deploying },
  argument,
) => {
  const uri = argument instanceof DeploymentElement ? argument.config.uri : argument;
  await (await deploying()).deployAgain(uri instanceof vscode.Uri ? uri.fsPath : undefined);
};
