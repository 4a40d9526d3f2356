import * as vscode from 'vscode';
import { placeOf } from '../deployments/deployment-key.ts';
import { ActionableError } from '../errors.ts';
import type { Command } from './command.ts';
import { findTarget } from './run.ts';

/**
 * Attaches VS Code's debugger to the graphs of a folder. On a graph or an assistant it also opens the run panel; without
 * one the graphs are those of the editor in front.
 */
export const debug: Command = async (parts, given) => {
  const { debugging, deployments } = parts;
  const target = given === undefined ? undefined : await findTarget(parts, given);
  const config = target === undefined ? await debugging.configInFront() : await findConfig(target.deployment);
  // Says what is missing, or that the folder is not trusted.
  const opened = await deployments.folders.open(config);
  await debugging.attach(opened.config);
  if (target === undefined) return;
  await deployments.makeCurrent(target.deployment);
  // The debugger shows sources in the editor in front, which must not hide the panel.
  const isBeside = vscode.window.activeTextEditor !== undefined;
  (await parts.panels()).open({ ...target, ...(isBeside && { viewColumn: vscode.ViewColumn.Beside }) });

  async function findConfig(key: string) {
    const place = placeOf(key);
    if (place.in === 'workspace') return deployments.folders.find(place.configPath);
    throw new ActionableError(
      vscode.l10n.t(
        'Only graphs in the open folder can be debugged. To step through this graph, run it and use Step to stop after each superstep.',
      ),
      [],
    );
  }
};
