import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DataFolder, DataFolderError, DataFolderLockedError } from '../../src/server/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a data folder', () => {
  it('belongs to one server at a time', async () => {
    await using folder = await temporaryFolder();
    const first = await DataFolder.open(folder.path);
    await assert.rejects(DataFolder.open(folder.path), DataFolderLockedError);
    first.close();
    (await DataFolder.open(folder.path)).close();
  });

  it('that cannot be made is refused by name, with a way out', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    await assert.rejects(DataFolder.open(path.join(file, 'inside')), (error) => {
      assert.ok(error instanceof DataFolderError);
      assert.match(error.message, /--data-dir/);
      return true;
    });
  });

  it('announces its server in a file only the owner can read', async function () {
    if (process.platform === 'win32') this.skip();
    await using folder = await temporaryFolder();
    const data = await DataFolder.open(folder.path);
    await data.announce({
      base_url: 'http://127.0.0.1:1',
      api_key: 'k',
      pid: 1,
      version: '0',
      harbor_protocol: 1,
      started_at: new Date().toISOString(),
    });
    assert.equal((await stat(path.join(folder.path, 'server.json'))).mode & 0o777, 0o600);
    await data.withdraw();
    await assert.rejects(stat(path.join(folder.path, 'server.json')));
    data.close();
  });
});
