import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'mocha';
import { removeFolder } from '../../src/process/remove-folder.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Keeps a folder in use, so that the system refuses to remove it: on Windows as the current one of a process. */
async function occupy(test: Context, folder: string): Promise<() => Promise<void>> {
  if (process.platform === 'win32') {
    const program = "process.stdout.write('started'); setInterval(() => {}, 1000);";
    const child = spawn(process.execPath, ['-e', program], { cwd: folder });
    await once(child.stdout, 'data');
    return async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    };
  }
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  if (status !== 0) skip(test, 'nothing can be mounted here');
  return async () => void spawnSync('umount', [folder]);
}

describe('removing a folder', () => {
  it('waits for a program that has a folder in it in use, however deep', async function () {
    await using root = await temporaryFolder();
    const top = path.join(root.path, 'deployment');
    const deep = path.join(top, 'builds', 'one', 'node_modules');
    await mkdir(deep, { recursive: true });
    await writeFile(path.join(top, 'file'), '');
    const release = await occupy(this, deep);
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      pauses.push(ms);
      if (pauses.length === 4) await release();
    };
    await removeFolder(top, { platform: 'win32', pause });
    assert.ok(!existsSync(top));
    assert.deepEqual(pauses, [100, 200, 300, 400]);
  });

  it('gives up after the same number of attempts at any depth', async function () {
    await using root = await temporaryFolder();
    const deep = path.join(root.path, 'builds', 'one', 'node_modules');
    await mkdir(deep, { recursive: true });
    const release = await occupy(this, deep);
    try {
      let pauses = 0;
      const system = { platform: 'win32', pause: async () => void pauses++ } as const;
      await assert.rejects(removeFolder(path.join(root.path, 'builds'), system), { code: 'EBUSY' });
      assert.equal(pauses, 10);
    } finally {
      await release();
    }
  });

  it('does nothing if there is none', async () => {
    await using root = await temporaryFolder();
    await removeFolder(path.join(root.path, 'none'));
  });
});
