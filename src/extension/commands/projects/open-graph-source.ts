import * as vscode from 'vscode';
import { GraphElement, openCommandFor } from '../../views/deployments.ts';
import { rowCommand } from '../command.ts';

/** Opens the source of a graph, or the cause of its load failure; if that is unknown, its langgraph.json. */
export const openGraphSource = rowCommand([GraphElement], async (_parts, row) => {
  const { command, arguments: args = [] } = openCommandFor(
    row.location ?? { file: row.config.uri.fsPath, line: 1 },
  );
  await vscode.commands.executeCommand(command, ...args);
});
