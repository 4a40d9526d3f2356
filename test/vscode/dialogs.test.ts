import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ask } from '../../src/extension/dialogs/steps.ts';

describe('a question of a dialog', () => {
  it('passes on the error of a check that fails, instead of staying disabled', async () => {
    const { createInputBox } = vscode.window;
    let accept = () => {};
    const stub = () => {
      const input = createInputBox();
      return Object.assign(input, {
        onDidAccept: (listener: () => void) => {
          accept = listener;
          return new vscode.Disposable(() => {});
        },
      });
    };
    Object.assign(vscode.window, { createInputBox: stub });
    try {
      const check = () => Promise.reject(new Error('The folder cannot be read.'));
      const answer = ask({ title: 'Question', prompt: '', canGoBack: false, check });
      accept();
      await assert.rejects(answer, /cannot be read/);
    } finally {
      Object.assign(vscode.window, { createInputBox });
    }
  });
});
