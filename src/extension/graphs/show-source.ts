import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { isInside } from '../../project/paths.ts';

/** Shows a place in a file; lines and columns begin at 1. */
export async function showSource({ file, line, column = 1 }: SourceLocation): Promise<void> {
  const position = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  await vscode.window.showTextDocument(vscode.Uri.file(file), {
    selection: new vscode.Range(position, position),
  });
}

/**
 * Shows a frame of a stack trace. Stack traces come from anyone who ran the graph, so only files in the open
 * folders are opened.
 * @throws Error for any other file.
 */
export async function showFrame(frame: {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}): Promise<void> {
  const { file, line, column } = frame;
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (!folders.some(({ uri }) => isInside(uri.fsPath, file)))
    throw new Error(vscode.l10n.t('{0} is not in the open folder.', file));
  await showSource({ file, line, ...(column !== undefined && { column }) });
}
