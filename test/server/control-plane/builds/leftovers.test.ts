import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import { removeEach } from '../../../../src/process/remove-each.ts';
import { removeFolder } from '../../../../src/process/remove-folder.ts';
import { Leftovers } from '../../../../src/server/control-plane/builds/leftovers.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

/** Windows' answer while a program has a folder as its current one. */
function busy(): Error {
  return Object.assign(new Error('EBUSY: resource busy or locked, rmdir'), {
    code: 'EBUSY',
    syscall: 'rmdir',
  });
}

describe('the rest of an earlier server', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  beforeEach(() => lines.splice(0));

  it('is removed later when it is in use, and says so', async () => {
    await using root = await temporaryFolder();
    const folder = path.join(root.path, 'builds', 'one');
    await mkdir(folder, { recursive: true });
    const leftovers = new Leftovers(logger, 1);
    let tried = 0;
    const remove = async () => {
      tried++;
      if (tried < 4) throw busy();
      await removeFolder(folder);
    };
    await leftovers.remove(remove);
    assert.ok(tried < 4);
    await eventually('it is gone', async () => (await readdir(path.dirname(folder))).length === 0);
    assert.equal(lines.length, 3);
    assert.match(lines[0] ?? '', /EBUSY.*could not remove what an earlier server left; trying again later/);
    leftovers.close();
  });

  it('is left alone when the server has closed', async () => {
    const leftovers = new Leftovers(logger, 1);
    leftovers.close();
    let tried = 0;
    await leftovers.remove(async () => {
      tried++;
      throw busy();
    });
    // Later than a timer of the same millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(tried, 1);
  });

  it('is removed without hiding other errors', async () => {
    const leftovers = new Leftovers(logger, 1);
    await assert.rejects(
      leftovers.remove(() => Promise.reject(new Error('The database is damaged.'))),
      /damaged/,
    );
    leftovers.close();
  });

  it('goes with the rest when one of it is in use', async () => {
    const removed: string[] = [];
    const removing = removeEach(['a', 'b', 'c'], async (name) => {
      if (name === 'b') throw busy();
      removed.push(name);
    });
    await assert.rejects(removing, { code: 'EBUSY' });
    assert.deepEqual(removed, ['a', 'c']);
  });
});
