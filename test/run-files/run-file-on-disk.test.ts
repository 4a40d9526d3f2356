import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { saveRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('saving a run file', () => {
  it('leaves what is no file in its place, such as a device or a socket', async function () {
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
});
