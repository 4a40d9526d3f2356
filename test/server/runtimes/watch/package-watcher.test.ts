import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PackageWatcher } from '../../../../src/server/runtimes/watch/package-watcher.ts';
import { findPython, interpreterIn } from '../../../support/python-environments.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';
import { makeWheel } from '../../../support/wheel.ts';

const run = promisify(execFile);
const windows = process.platform === 'win32';

describe('watching the packages of a project', function () {
  this.timeout(180_000);

  it('waits until a virtual environment is made, and until pip has installed into it', async () => {
    const python = await findPython();
    await using folder = await temporaryFolder();
    const project = await realpath(folder.path);
    const environment = path.join(project, '.venv');
    const activate = path.join(environment, windows ? 'Scripts/activate' : 'bin/activate');
    const site = () =>
      windows
        ? path.join(environment, 'Lib', 'site-packages')
        : path.join(environment, 'lib', `python${python.version.split('.', 2).join('.')}`, 'site-packages');
    const seen: { folders: readonly string[]; complete: boolean }[] = [];
    const watcher = await PackageWatcher.open(project, (folders) => {
      const infos = readdirSync(site()).filter((name) => name.endsWith('.dist-info'));
      const complete =
        existsSync(activate) && infos.every((name) => existsSync(path.join(site(), name, 'RECORD')));
      seen.push({ folders, complete });
    });
    try {
      await run(python.file, ['-m', 'venv', environment]);
      await eventually('the environment', () => seen.length > 0, Boolean, 60_000);
      const wheel = await makeWheel(project, 'tiny', { 'tiny.py': 'value = 1\n' });
      const pip = ['-m', 'pip', 'install', '--no-index', '--disable-pip-version-check'];
      await run(interpreterIn(environment), [...pip, wheel]);
      await eventually('the package', () => seen.length > 1, Boolean, 60_000);
      await run(interpreterIn(environment), [...pip, '--force-reinstall', wheel]);
      await eventually('the package of the same version', () => seen.length > 2, Boolean, 60_000);
      for (const call of seen) assert.deepEqual(call, { folders: [environment], complete: true });
    } finally {
      watcher.close();
    }
  });

  it('waits for the mark of a package manager, not only for its folder', async () => {
    await using folder = await temporaryFolder();
    const project = await realpath(folder.path);
    const packages = path.join(project, 'node_modules');
    const environment = path.join(project, '.venv');
    const seen: string[] = [];
    const watcher = await PackageWatcher.open(project, (folders) => seen.push(...folders));
    try {
      await mkdir(path.join(packages, 'half'), { recursive: true });
      // Created later, and reported as soon as it is complete: this shows whether the watcher waited for the
      // other one.
      await mkdir(path.dirname(path.join(environment, windows ? 'Scripts/activate' : 'bin/activate')), {
        recursive: true,
      });
      await writeFile(path.join(environment, windows ? 'Scripts/activate' : 'bin/activate'), '');
      await writeFile(path.join(environment, 'pyvenv.cfg'), '');
      await eventually('the environment', () => seen.includes(environment), Boolean, 60_000);
      assert.deepEqual(seen, [environment]);
      await writeFile(path.join(packages, '.package-lock.json'), '{}');
      await eventually('the packages', () => seen.length > 1, Boolean, 60_000);
      assert.deepEqual(seen, [environment, packages]);
    } finally {
      watcher.close();
    }
  });

  it('waits until npm has installed', async () => {
    await using folder = await temporaryFolder();
    const project = await realpath(folder.path);
    await mkdir(path.join(project, 'tiny'));
    await writeFile(path.join(project, 'tiny', 'package.json'), '{"name": "tiny", "version": "1.0.0"}');
    await writeFile(path.join(project, 'package.json'), '{"dependencies": {"tiny": "file:./tiny"}}');
    const seen: { folders: readonly string[]; installed: boolean }[] = [];
    const watcher = await PackageWatcher.open(project, (folders) => {
      seen.push({ folders, installed: existsSync(path.join(project, 'node_modules/tiny/package.json')) });
    });
    try {
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: project, shell: windows });
      await eventually('the packages', () => seen.length > 0, Boolean, 60_000);
      assert.deepEqual(seen, [{ folders: [path.join(project, 'node_modules')], installed: true }]);
    } finally {
      watcher.close();
    }
  });
});
