import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { Command } from '../command.ts';
import { askForTarget } from './run.ts';

interface RunSelectionParts {
  readonly deployments: Deployments;
  readonly panels: () => Promise<RunPanels>;
}

/** Opens a run panel with the text that is selected in the editor as its input. */
export const runSelection: Command<RunSelectionParts> = async (parts) => {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  const draft = editor.document.getText(editor.selection);
  const target = await askForTarget(parts);
  if (target !== undefined) (await parts.panels()).open({ ...target, draft });
};
