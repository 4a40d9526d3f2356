import * as vscode from 'vscode';

/**
 * Runs work with a notification that can cancel it.
 * @throws CancellationError when it was canceled
 */
export function withCancel<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const done = vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) => {
    const stopping = new AbortController();
    token.onCancellationRequested(() => stopping.abort(new vscode.CancellationError()));
    return work(stopping.signal);
  });
  return Promise.resolve(done);
}
