import * as vscode from 'vscode';
import type { TreeElement } from './tree.ts';

/** What a click on a row that can be run does: it opens the run panel. */
export function runRow(element: TreeElement): vscode.Command {
  return { command: 'agentHarbor.run', title: vscode.l10n.t('Run'), arguments: [element] };
}
