import * as vscode from 'vscode';
import { GraphElement, openLocation } from '../../views/deployments.ts';
import { rowCommand } from '../command.ts';

/** Opens the source of a graph, or the cause of its load failure. */
export const openGraphSource = rowCommand([GraphElement], async (_parts, row) => {
  const { command, arguments: args = [] } = openLocation(
    row.location ?? { file: row.config.uri.fsPath, line: 1 },
  );
  await vscode.commands.executeCommand(command, ...args);
});
