import * as vscode from 'vscode';

/** Reads the text of a file. @throws FileSystemError */
export async function readText(file: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}
