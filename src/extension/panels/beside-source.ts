import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { showSource } from '../graphs/show-source.ts';

/**
 * Puts a panel beside a source. VS Code shows where a debugger stops in the group of editors in front, where it
 * would hide the panel. A panel that came first into its group keeps it for itself:
 * `workbench.editor.autoLockGroups` in `package.json`.
 * @param find returns the place of a source to show when no text editor is visible
 */
export async function keepBesideSource(
  panel: vscode.WebviewPanel,
  find: () => Promise<SourceLocation | undefined>,
): Promise<void> {
  const isApart = vscode.window.visibleTextEditors.some(
    ({ viewColumn }) => viewColumn !== undefined && viewColumn !== panel.viewColumn,
  );
  if (isApart) return;
  const isInFront = panel.visible;
  if (isInFront) {
    const place = await find();
    if (place === undefined) return;
    await showSource(place);
  }
  // The editor that was in front before keeps the focus.
  panel.reveal(vscode.ViewColumn.Beside, !isInFront);
}

/**
 * Makes sure that a source is visible beside which a panel can be opened. @param find returns the place of a
 * source to show
 */
export async function showSourceUnlessVisible(
  find: () => Promise<SourceLocation | undefined>,
): Promise<void> {
  if (vscode.window.visibleTextEditors.some(({ viewColumn }) => viewColumn !== undefined)) return;
  const place = await find();
  if (place !== undefined) await showSource(place);
}
