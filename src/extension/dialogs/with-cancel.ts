import * as vscode from 'vscode';

/**
 * Runs work while a notification shows its progress and can cancel it.
 * @throws the error of the work. If the user cancels, the signal is aborted with a CancellationError as the
 *   reason.
 */
export function withCancel<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title, cancellable: true };
  const done = vscode.window.withProgress<T>(
    options,
    (progress: vscode.Progress<{ message: string }>, token) => {
      const stopping = new AbortController();
      token.onCancellationRequested(() => stopping.abort(new vscode.CancellationError()));
      return work(stopping.signal, (message) => progress.report({ message }));
    },
  );
  return Promise.resolve(done);
}
