import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { saveRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('saving a run file', () => {
  it('does not replace what is not a file, such as a device or a socket', async function () {
    if (process.platform === 'win32') skip(this, 'sockets are no files of a folder on Windows');
    await using folder = await temporaryFolder();
    const place = path.join(folder.path, 'socket');
    const server = createServer().listen(place);
    await once(server, 'listening');
    try {
      await assert.rejects(saveRunFile(place, []), /socket is not a file\. Give the path of a file\./);
      assert.ok((await stat(place)).isSocket());
      assert.deepEqual(await readdir(folder.path), ['socket']);
    } finally {
      server.close();
    }
  });

  it('creates the folder of its file', async () => {
    await using folder = await temporaryFolder();
    const place = path.join(folder.path, 'evals', 'cassettes', 'x.agentrun');
    await saveRunFile(place, []);
    assert.equal(await readFile(place, 'utf8'), '{"kind":"end","lines":0}\n');
  });

  it('replaces the target of a link, and leaves nothing when it fails', async function () {
    if (process.platform === 'win32') skip(this, 'links need a privilege on Windows');
    await using folder = await temporaryFolder();
    const [file, link] = [path.join(folder.path, 'file'), path.join(folder.path, 'link')];
    await writeFile(file, 'earlier');
    await symlink(file, link);
    await saveRunFile(link, []);
    assert.equal(await readFile(file, 'utf8'), '{"kind":"end","lines":0}\n');
    assert.ok((await lstat(link)).isSymbolicLink());
    async function* broken() {
      yield { kind: 'feedback' as const, feedback: {} };
      throw new Error('lost');
    }
    await assert.rejects(saveRunFile(link, broken()), /lost/);
    assert.deepEqual(await readdir(folder.path), ['file', 'link']);
    assert.equal(await readFile(file, 'utf8'), '{"kind":"end","lines":0}\n');
  });
});
