import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('a lock between processes', () => {
  it('lets one holder after another do what it guards, even after one that failed', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'lock');
    let inside = 0;
    const works = [1, 2, 3].map((number) =>
      withLock(file, async () => {
        inside += 1;
        assert.equal(inside, 1);
        await new Promise((resolve) => setTimeout(resolve, 20));
        inside -= 1;
        if (number === 1) throw new Error('it failed');
        return number;
      }),
    );
    const ended = await Promise.allSettled(works);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('no longer counts once its process was killed', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'lock');
    await writeFile(file, '1');
    const longAgo = new Date(Date.now() - 60 * 60 * 1000);
    await utimes(file, longAgo, longAgo);
    assert.equal(await withLock(file, async () => 'done'), 'done');
  });
});
