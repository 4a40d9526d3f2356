import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { showSource } from '../graphs/show-source.ts';

/**
 * Puts a panel beside a source, unless an editor of another group shows one. When a debugger stops, VS Code
 * shows the source in the active editor group, where it would hide the panel. A panel that is the first
 * editor of a group locks the group: see `workbench.editor.autoLockGroups` in `package.json`.
 * @param find returns the source to show if no text editor is visible
 */
export async function keepBesideSource(
  panel: vscode.WebviewPanel,
  find: () => Promise<SourceLocation | undefined>,
): Promise<void> {
  const isApart = vscode.window.visibleTextEditors.some(
    ({ viewColumn }) => viewColumn !== undefined && viewColumn !== panel.viewColumn,
  );
  if (isApart) return;
  // If the panel hides the other editors of its group, a source is shown in its place, and the panel keeps
  // the focus. Otherwise, a source hides the panel, and keeps the focus.
  const isInFront = panel.visible;
  if (isInFront) {
    const place = await find();
    if (place === undefined) return;
    await showSource(place);
  }
  panel.reveal(vscode.ViewColumn.Beside, !isInFront);
}

/**
 * Shows a source, beside which a panel can then be opened, unless a text editor is visible.
 * @param find returns the source
 */
export async function showSourceUnlessVisible(
  find: () => Promise<SourceLocation | undefined>,
): Promise<void> {
  if (vscode.window.visibleTextEditors.some(({ viewColumn }) => viewColumn !== undefined)) return;
  const place = await find();
  if (place !== undefined) await showSource(place);
}
