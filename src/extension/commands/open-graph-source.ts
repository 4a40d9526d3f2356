import * as vscode from 'vscode';
import { GraphElement, openLocation } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Shows where a graph is written, or what keeps it from loading. */
export const openGraphSource: Command = async (_parts, given) => {
  if (!(given instanceof GraphElement)) return;
  const { command, arguments: args = [] } = openLocation(
    given.location ?? { file: given.config.uri.fsPath, line: 1 },
  );
  await vscode.commands.executeCommand(command, ...args);
};
