import assert from 'node:assert/strict';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProjectWatch } from '../../../../src/server/runtimes/watch/project-watch.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

describe('watching a project', () => {
  it('leaves out lockfiles, which are written in the middle of an installation', async () => {
    await using folder = await temporaryFolder();
    const dir = await realpath(folder.path);
    const seen: string[] = [];
    const watch = new ProjectWatch((files) => seen.push(...files.map((file) => path.basename(file))));
    watch.watch(path.join(dir, 'langgraph.json'), undefined);
    try {
      // Until the watcher has begun, nothing is noticed.
      await eventually('a source to be noticed', async () => {
        await writeFile(path.join(dir, 'first.py'), String(performance.now()));
        return seen.includes('first.py');
      });
      for (const name of ['uv.lock', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'])
        await writeFile(path.join(dir, name), '{}');
      await writeFile(path.join(dir, 'last.py'), '');
      await eventually('what was saved last', () => seen.includes('last.py'));
      assert.deepEqual([...new Set(seen)].toSorted(), ['first.py', 'last.py']);
    } finally {
      await watch.close();
    }
  });
});
