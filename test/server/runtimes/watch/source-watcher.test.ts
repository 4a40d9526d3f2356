import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SourceWatcher } from '../../../../src/server/runtimes/watch/source-watcher.ts';
import { eventually } from '../../../support/wait.ts';

describe('watching the sources of a project', () => {
  let root: string;
  let project: string;
  let watcher: SourceWatcher;
  let seen: string[];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-watch-')));
    project = path.join(root, 'project');
    await mkdir(project);
    await writeFile(path.join(project, 'agent.mjs'), '0');
    seen = [];
    watcher = new SourceWatcher(project, [], (files) => seen.push(...files));
    await save('agent.mjs');
  });

  afterEach(async () => {
    await watcher.close();
    await rm(root, { recursive: true, force: true });
  });

  /**
   * Saves a file repeatedly until the watcher notices: a watcher takes a moment to start, and waits for the
   * end of a burst.
   */
  async function save(name: string): Promise<void> {
    const file = path.join(project, name);
    let savedAt = 0;
    await eventually(`${name} to be noticed`, async () => {
      if (performance.now() - savedAt > 500) {
        await writeFile(file, String(performance.now()));
        savedAt = performance.now();
      }
      return seen.includes(file);
    });
    seen.length = 0;
  }

  it('reports nothing that installers write beside a package', async () => {
    const metadata = path.join(project, 'src', 'mine.egg-info');
    await mkdir(metadata, { recursive: true });
    await writeFile(path.join(metadata, 'SOURCES.txt'), 'agent.py');
    await mkdir(path.join(project, 'env', 'lib', 'site-packages'), { recursive: true });
    await writeFile(path.join(project, 'env', 'lib', 'site-packages', 'six.py'), '');
    const noticed = seen;
    seen = [];
    // A file that is saved later is noticed later.
    const file = path.join(project, 'src', 'agent.py');
    await writeFile(file, '');
    await eventually('a source beside them', () => seen.includes(file) || noticed.includes(file));
    assert.deepEqual([...noticed, ...seen], [file]);
  });

  it('continues when the folder could not be read for a while', async () => {
    const away = path.join(root, 'away');
    await rename(project, away);
    // Reading the status of a link to itself fails, as it does on a network drive that is gone.
    await symlink(project, project);
    await eventually('the removal', () => seen.includes(path.join(project, 'agent.mjs')));
    await unlink(project);
    await rename(away, project);
    await save('agent.mjs');
  });

  it('continues when the folder is deleted and created again', async () => {
    await rm(project, { recursive: true });
    await eventually('the removal', () => seen.includes(path.join(project, 'agent.mjs')));
    await mkdir(project);
    await eventually('the new folder', () => seen.includes(project));
    await save('agent.mjs');
  });

  it('continues when the folder is replaced', async () => {
    await rm(project, { recursive: true });
    await mkdir(project);
    await writeFile(path.join(project, 'agent.mjs'), 'anew');
    await eventually('the new folder', () => seen.includes(project));
    await save('agent.mjs');
  });

  it('continues when another folder takes its place', async () => {
    const other = path.join(root, 'other');
    await mkdir(other);
    await writeFile(path.join(other, 'agent.mjs'), 'other');
    await rename(project, path.join(root, 'before'));
    await rename(other, project);
    await eventually('the other folder', () => seen.includes(project));
    await save('agent.mjs');
  });
});
