import assert from 'node:assert/strict';
import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { findPrograms } from '../../../../src/server/runtimes/isolation/machine-programs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the programs for builds in sandboxes', () => {
  before(function () {
    // Sandboxes need Linux.
    if (process.platform !== 'linux') this.skip();
  });

  it('are linked even if several builds begin at the same time', async () => {
    await using folder = await temporaryFolder();
    const searchPath = path.dirname(process.execPath);
    const [first] = await Promise.all(Array.from({ length: 8 }, () => findPrograms(searchPath, folder.path)));
    assert.ok(first);
    assert.equal(await realpath(path.join(first.links, 'node')), await realpath(process.execPath));
    const links = await readdir(first.links);
    assert.deepEqual(
      links.filter((name) => name.includes('.')),
      [],
    );
  });
});
