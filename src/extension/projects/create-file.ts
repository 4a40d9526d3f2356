import * as vscode from 'vscode';

/**
 * Creates a file; a file that has been created in the meantime is left unchanged.
 * @throws Error if it could not be created
 */
export async function createFile(file: vscode.Uri, contents: Uint8Array): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(file, { contents, ignoreIfExists: true });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new Error(vscode.l10n.t('{0} could not be created.', file.fsPath));
}
