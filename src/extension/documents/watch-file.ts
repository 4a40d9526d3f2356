import * as vscode from 'vscode';

/** A file that is replaced is deleted and made, and one that is written grows. */
const REST_MS = 200;

/** Says when a file was changed, replaced or deleted, in an open folder or not, once it rests. */
export function watchFile(uri: vscode.Uri, onChange: () => void): vscode.Disposable {
  // Its name may have characters that a pattern reads as its own.
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
