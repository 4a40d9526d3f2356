import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { askPoetry } from '../../../../src/server/runtimes/python/python-environment.ts';
import {
  findSystemPython,
  foldersOfPythons,
} from '../../../../src/server/runtimes/python/python-executable.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the Python of a machine', () => {
  it('is the next one when a shim does not name its target', async function () {
    if (process.platform === 'win32') skip(this, 'the interpreters are scripts for a shell');
    await using folder = await temporaryFolder();
    const answers = {
      shims: 'case "$2" in *executable*) exit 1 ;; *) echo 3.13.1 ;; esac',
      bin: 'echo 3.12.4',
    };
    const places: string[] = [];
    for (const [name, script] of Object.entries(answers)) {
      const place = path.join(folder.path, name);
      await mkdir(place);
      await writeFile(path.join(place, 'python3'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      places.push(place);
    }
    const found = await findSystemPython(places.join(path.delimiter), undefined);
    assert.deepEqual(found, { file: path.join(folder.path, 'bin', 'python3'), version: '3.12.4' });
  });

  it('is found in the folders of its installers on Windows, which are not on the PATH', () => {
    const env = { APPDATA: 'R:\\Roaming', LOCALAPPDATA: 'L:\\Local', ProgramFiles: 'C:\\Programme' };
    const found = foldersOfPythons('win32', env, 'C:\\Users\\Ada');
    assert.deepEqual(
      found.map(({ root }) => root),
      [
        'C:\\Users\\Ada\\.pyenv\\pyenv-win\\versions',
        'R:\\Roaming\\uv\\python',
        'L:\\Local\\Programs\\Python',
        'C:\\Programme',
        'L:\\Local\\Python',
      ],
    );
    const named = (at: number, name: string) => found[at]?.names?.test(name);
    assert.deepEqual(
      [named(2, 'Python313'), named(2, 'Launcher'), named(3, 'Python312'), named(3, 'nodejs')],
      [true, false, true, false],
    );
    assert.deepEqual([named(4, 'pythoncore-3.14-64'), named(4, 'bin')], [true, false]);
  });

  it('is found in the folders of pyenv and uv on other systems', () => {
    assert.deepEqual(foldersOfPythons('linux', { XDG_DATA_HOME: '/data' }, '/home/ada'), [
      { root: '/home/ada/.pyenv/versions' },
      { root: '/data/uv/python' },
    ]);
    assert.deepEqual(foldersOfPythons('darwin', { UV_PYTHON_INSTALL_DIR: '/uv' }, '/Users/ada')[1], {
      root: '/uv',
    });
  });

  it('is queried from poetry through a shell on Windows, where poetry may be a batch file', () => {
    assert.deepEqual(askPoetry('linux'), ['poetry', ['env', 'info', '--path']]);
    const shell = process.env.ComSpec ?? 'cmd.exe';
    assert.deepEqual(askPoetry('win32'), [shell, ['/d', '/s', '/c', 'poetry env info --path']]);
  });
});
