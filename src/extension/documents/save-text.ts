import { extname } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import * as vscode from 'vscode';
import { READABLE, replaceFile } from '../../run-files/replace-file.ts';
import { withCancel } from '../dialogs/with-cancel.ts';

interface TextToSave {
  /** The title of the dialog. */
  readonly title: string;
  /** The name that the dialog proposes. */
  readonly fileName: string;
  /** Begins to read the text; called once the user has chosen a file. */
  readonly read: (signal: AbortSignal) => Readable;
}

/**
 * Streams a text to a file that the user chooses, and offers to open it. If writing fails, an existing file
 * is left unchanged.
 * @throws the errors of reading and writing; CancellationError if the user cancels the progress
 */
export async function saveText({ title, fileName, read }: TextToSave): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const ending = extname(fileName).slice(1);
  const target = await vscode.window.showSaveDialog({
    title,
    filters: { [ending.toUpperCase()]: [ending] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, fileName) }),
  });
  if (target === undefined) return;
  await withCancel(title, (signal) =>
    replaceFile(target.fsPath, addAbortSignal(signal, read(signal)), READABLE),
  );
  void offerToOpen(target);
}

async function offerToOpen(file: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Exported to {0}.', vscode.workspace.asRelativePath(file));
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand('vscode.open', file);
}
