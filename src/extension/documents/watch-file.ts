import * as vscode from 'vscode';

/** The pause after the last event: a replaced file is deleted and created again, and a written file grows. */
const REST_MS = 200;

/**
 * Calls back when a file was changed, replaced or deleted, once it has stopped changing. The file need not be
 * in an open folder.
 */
export function watchFile(uri: vscode.Uri, onChange: () => void): vscode.Disposable {
  // The pattern matches all files of the folder, because the name may have characters with a special meaning.
  const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, '..'), '*');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  let timer: NodeJS.Timeout | undefined;
  const note = (changed: vscode.Uri) => {
    if (changed.toString() !== uri.toString()) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, REST_MS);
  };
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(note),
    watcher.onDidCreate(note),
    watcher.onDidDelete(note),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}
