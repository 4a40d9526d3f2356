import * as vscode from 'vscode';
import type { TreeElement } from './tree.ts';

/** The action of a click on a row that can be run: it opens the run panel. */
export function runRow(element: TreeElement): vscode.Command {
  return { command: 'agentHarbor.run', title: vscode.l10n.t('Run'), arguments: [element] };
}
