import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ErrorReporter } from '../../src/extension/dialogs/errors.ts';
import { WebviewHost } from '../../src/extension/panels/webview-host.ts';
import { eventually } from '../support/wait.ts';

describe('an error in the page of a panel', () => {
  it('is in the log with its stack, once for as long as it is repeated', async () => {
    const panel = vscode.window.createWebviewPanel('errors', 'Errors', vscode.ViewColumn.One);
    const logged: string[] = [];
    const note = (line: string | Error) => void logged.push(String(line));
    const host = new WebviewHost({
      panel,
      extensionUri: vscode.Uri.file('/'),
      bundle: 'run',
      data: {},
      schemas: {},
      handlers: {},
      errors: new ErrorReporter({
        ...{ window: vscode.window, commands: vscode.commands },
        log: { error: note, debug: note },
      }),
    });
    try {
      panel.webview.html = `<!DOCTYPE html><body><script>
        const { postMessage } = acquireVsCodeApi();
        const log = (id, message) =>
          postMessage({ id, method: 'logError', params: { message, stack: message + '\\n    at draw (run.js:1:2)' } });
        for (const id of [1, 2, 3]) log(id, 'TypeError: A fault.');
        log(4, 'RangeError: Another.');
      </script></body>`;
      await eventually('the errors', () => logged.length >= 4);
      assert.deepEqual(
        logged,
        ['TypeError: A fault.', 'RangeError: Another.'].flatMap((message) => [
          `run panel, page: ${message}`,
          `${message}\n    at draw (run.js:1:2)`,
        ]),
      );
    } finally {
      host.dispose();
      panel.dispose();
    }
  });
});
