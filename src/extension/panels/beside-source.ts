import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { showSource } from '../graphs/graph-sources.ts';

/**
 * Has a panel beside a source. VS Code shows where a debugger stops in the group of editors in front, where it would hide
 * the panel. A panel that came first into its group keeps it for itself: `workbench.editor.autoLockGroups` in
 * `package.json`.
 * @param find where a source is that can be shown when no text is in sight
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

/** Has a source in sight, beside which a panel can be opened. @param find where one is that can be shown */
export async function showSourceUnlessVisible(
  find: () => Promise<SourceLocation | undefined>,
): Promise<void> {
  if (vscode.window.visibleTextEditors.some(({ viewColumn }) => viewColumn !== undefined)) return;
  const place = await find();
  if (place !== undefined) await showSource(place);
}
