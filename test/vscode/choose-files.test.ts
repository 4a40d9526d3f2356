import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { chooseFiles } from '../../src/extension/panels/run/choose-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('choosing files for a message', () => {
  it('takes those that can be sent, and says why others are not', async () => {
    await using folder = await temporaryFolder();
    const uri = (name: string) => vscode.Uri.file(path.join(folder.path, name));
    await writeFile(uri('film.mp4').fsPath, new Uint8Array(10_000_001));
    await writeFile(uri('notes.txt').fsPath, 'notes');
    const { showOpenDialog } = vscode.window;
    const chosen = ['film.mp4', 'gone.txt', 'notes.txt'].map(uri);
    Object.assign(vscode.window, { showOpenDialog: () => Promise.resolve(chosen) });
    try {
      const { files, problems } = await chooseFiles();
      assert.deepEqual(files, [{ name: 'notes.txt', mime: 'text/plain', data: 'bm90ZXM=' }]);
      assert.equal(problems.length, 2);
      assert.equal(problems[0], 'film.mp4 is too large. Attach files of up to 10 MB.');
      assert.match(problems[1] ?? '', /gone\.txt/);
    } finally {
      Object.assign(vscode.window, { showOpenDialog });
    }
  });
});
