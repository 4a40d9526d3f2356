import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareOutput, writeOutput } from '../../../src/cli/terminal/write-output.ts';
import { skip } from '../../support/skip.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the output path of a command', () => {
  it('gets everything if it is a pipe, and stays a pipe', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no named pipes in folders');
    await using folder = await temporaryFolder();
    const pipe = path.join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for both, so that neither side waits for the other.
    const file = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      await prepareOutput(pipe);
      await writeOutput(pipe, ['first ', Buffer.from('second')]);
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(100) });
      assert.equal(buffer.toString('utf8', 0, bytesRead), 'first second');
      assert.ok((await stat(pipe)).isFIFO());
      assert.deepEqual(await readdir(folder.path), ['pipe']);
    } finally {
      await file.close();
    }
  });

  it('keeps its contents if it is a file and the output is incomplete', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    await writeFile(file, 'before');
    const broken = (function* () {
      yield 'half';
      throw new Error('broken');
    })();
    await assert.rejects(writeOutput(file, broken), /broken/);
    assert.equal(await readFile(file, 'utf8'), 'before');
    await writeOutput(file, ['after']);
    assert.equal(await readFile(file, 'utf8'), 'after');
    assert.deepEqual(await readdir(folder.path), ['file']);
  });

  it('is refused if it is a folder', async () => {
    await using folder = await temporaryFolder();
    await assert.rejects(prepareOutput(folder.path), /is not a file/);
    await assert.rejects(writeOutput(folder.path, ['text']), /is not a file/);
  });
});
