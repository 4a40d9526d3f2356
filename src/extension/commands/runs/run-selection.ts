import * as vscode from 'vscode';
import type { Command } from '../command.ts';
import { askForTarget } from './run.ts';

/** Opens a run panel with what is selected in the editor as its input, ready to be sent. */
export const runSelection: Command = async (parts) => {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  const draft = editor.document.getText(editor.selection);
  const target = await askForTarget(parts);
  if (target !== undefined) (await parts.panels()).open({ ...target, draft });
};
