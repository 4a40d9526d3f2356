import * as vscode from 'vscode';

/** A file that is replaced is deleted and created again, and a file that is being written grows. */
const REST_MS = 200;

/**
 * Reports that a file was changed, replaced or deleted, in an open folder or not, once it has stopped changing.
 */
export function watchFile(uri: vscode.Uri, onChange: () => void): vscode.Disposable {
  // Its name may have characters with a special meaning in patterns.
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
