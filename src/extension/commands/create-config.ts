import * as vscode from 'vscode';
import type { Command } from './command.ts';

const content = `{
  "graphs": {
    "agent": "./agent.ts:graph"
  }
}
`;

/** Creates a langgraph.json, asking for the folder if there are several, and opens it. */
export const createConfig: Command = async () => {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder =
    folders.length > 1
      ? await vscode.window.showWorkspaceFolderPick({
          placeHolder: vscode.l10n.t('Folder for langgraph.json'),
        })
      : folders[0];
  if (folder === undefined) return;
  const uri = vscode.Uri.joinPath(folder.uri, 'langgraph.json');
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(content) });
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(uri);
};
