import * as vscode from 'vscode';
import type { LackingEnv } from '../../contract/harbor.ts';

/** The text that a missing env file begins with: its example, or the variables that are known to be missing. */
export async function beginningOf({ file, has_example, variables }: LackingEnv): Promise<Uint8Array> {
  if (has_example) return vscode.workspace.fs.readFile(vscode.Uri.file(`${file}.example`));
  return new TextEncoder().encode(variables.map((name) => `${name}=\n`).join(''));
}

/** A file that was made meanwhile is not changed. */
export async function createFile(file: vscode.Uri, contents: Uint8Array): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(file, { contents, ignoreIfExists: true });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new Error(vscode.l10n.t('{0} could not be created.', file.fsPath));
}
