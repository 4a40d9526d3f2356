import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ifPresent, ifReadable } from '../../src/process/if-present.ts';

describe('reading a file that may be missing', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'if-present-'));
  });
  after(() => rm(dir, { recursive: true }));

  it('returns nothing if it is missing, and fails if it cannot be read', async () => {
    const [file, folder] = [path.join(dir, 'file'), path.join(dir, 'folder')];
    await writeFile(file, 'text');
    await mkdir(folder);
    assert.equal(await ifPresent(readFile(file, 'utf8')), 'text');
    assert.equal(await ifPresent(readFile(path.join(dir, 'absent'))), undefined);
    await assert.rejects(ifPresent(readFile(folder)), { code: 'EISDIR' });
    assert.equal(await ifReadable(readFile(folder)), undefined);
  });
});
