import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileInUseError, replace } from '../../src/process/replace.ts';

describe('replacing a file', () => {
  let root: string;
  let from: string;
  let to: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'replace-'));
    from = path.join(root, 'new');
    to = path.join(root, 'old');
  });
  beforeEach(async () => {
    await writeFile(from, 'new');
    await writeFile(to, 'old');
  });
  after(() => rm(root, { recursive: true }));

  /** Refuses as Windows does while a file is open somewhere, and then renames. */
  function openFor(times: number, code: string) {
    let asked = 0;
    const paused: number[] = [];
    return {
      asked: () => asked,
      paused,
      pause: async (ms: number) => void paused.push(ms),
      rename: async (source: string, target: string) => {
        asked++;
        if (asked <= times) throw Object.assign(new Error(`${code}: operation not permitted`), { code });
        await rename(source, target);
      },
    };
  }

  it('gives it the new content', async () => {
    await replace(from, to);
    assert.equal(await readFile(to, 'utf8'), 'new');
    await assert.rejects(readFile(from), { code: 'ENOENT' });
  });

  for (const code of ['EPERM', 'EACCES', 'EBUSY'])
    it(`tries again on Windows while another program has it open (${code})`, async () => {
      const opened = openFor(3, code);
      await replace(from, to, { platform: 'win32', ...opened });
      assert.equal(opened.asked(), 4);
      assert.equal(await readFile(to, 'utf8'), 'new');
    });

  it('finally says which file is open', async () => {
    const opened = openFor(Number.POSITIVE_INFINITY, 'EBUSY');
    await assert.rejects(replace(from, to, { platform: 'win32', ...opened }), (error) => {
      assert.ok(error instanceof FileInUseError);
      assert.ok(
        error.message.startsWith(`Could not write ${to}: another program has it open`),
        error.message,
      );
      return true;
    });
    assert.equal(opened.asked(), opened.paused.length + 1);
    assert.deepEqual(
      opened.paused,
      opened.paused.toSorted((a, b) => a - b),
    );
    assert.equal(await readFile(to, 'utf8'), 'old');
  });

  it('fails at once on other systems, where open files can be replaced, and for any other reason', async () => {
    for (const [platform, code] of [
      ['linux', 'EPERM'],
      ['darwin', 'EBUSY'],
      ['win32', 'ENOSPC'],
    ] as const) {
      const opened = openFor(1, code);
      await assert.rejects(replace(from, to, { platform, ...opened }), { code });
      assert.equal(opened.asked(), 1);
    }
  });
});
