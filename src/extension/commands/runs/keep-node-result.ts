import * as vscode from 'vscode';
import type { NodeRunner } from '../../nodes/node-runner.ts';
import type { Command } from '../command.ts';

/** Writes the result of a node that ran alone, which the active editor shows, to its thread. */
export const keepNodeResult: Command<{ readonly nodes: () => Promise<NodeRunner> }> = async (
  { nodes },
  argument,
) => {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri !== undefined) await (await nodes()).keep(uri);
};
