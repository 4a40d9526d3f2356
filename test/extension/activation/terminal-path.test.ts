import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { launchers } from '../../../src/extension/activation/terminal-path.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const windows = process.platform === 'win32';

describe('agent-harbor in the terminals of VS Code', () => {
  // A percent sign starts a variable in cmd.exe, and a quote ends a string in a shell.
  for (const [title, name, drive] of [
    ['wherever it is', "somebody's größer 用 code", ''],
    ['in a folder with a percent sign', '100% code', ''],
    // No path in it is relative then.
    ['which is on another drive', 'größer', 'Q:\\'],
  ] as const)
    it(`starts the program with its arguments, ${title}`, async () => {
      await using folder = await temporaryFolder();
      const place = path.join(folder.path, name);
      await mkdir(place);
      const cli = path.join(place, 'cli.mjs');
      await writeFile(
        cli,
        'console.log(JSON.stringify([process.env.ELECTRON_RUN_AS_NODE, ...process.argv.slice(2)]));',
      );
      const args = ['run', 'agent', 'two words'];
      const paths = { executable: process.execPath, cli, folder: drive || place };
      for (const [name, text] of Object.entries(launchers(paths))) {
        await writeFile(path.join(place, name), text);
        await chmod(path.join(place, name), 0o755);
      }
      const { stdout } = windows
        ? await run('cmd.exe', ['/d', '/c', 'agent-harbor.cmd', ...args], { cwd: place })
        : await run(path.join(place, 'agent-harbor'), args);
      assert.deepEqual(JSON.parse(stdout), ['1', ...args]);
    });

  it('has a launcher for cmd and PowerShell only on Windows', () => {
    const posix = { executable: '/node', cli: '/cli.js', folder: '/bin' };
    assert.deepEqual(Object.keys(launchers(posix, 'linux')), ['agent-harbor']);
    assert.deepEqual(Object.keys(launchers(posix, 'win32')), ['agent-harbor', 'agent-harbor.cmd']);
  });

  it('has paths that cmd reads in any code page', () => {
    const home = 'C:\\Users\\Jörg 用';
    const batch = (executable: string, cli: string) =>
      launchers({ executable, cli, folder: `${home}\\Code\\bin` }, 'win32')['agent-harbor.cmd']?.split(
        '\r\n',
      );
    assert.deepEqual(batch(`${home}\\VS Code\\Code.exe`, `${home}\\50%\\cli.js`), [
      '@echo off',
      'setlocal',
      'set ELECTRON_RUN_AS_NODE=1',
      '"%~dp0..\\..\\VS Code\\Code.exe" "%~dp0..\\..\\50%%\\cli.js" %*',
      '',
    ]);
    assert.deepEqual(batch('D:\\VS Code\\Code.exe', 'D:\\für alle\\cli.js'), [
      '@echo off',
      'chcp 65001 > nul',
      'setlocal',
      'set ELECTRON_RUN_AS_NODE=1',
      '"D:\\VS Code\\Code.exe" "D:\\für alle\\cli.js" %*',
      '',
    ]);
    assert.equal(batch('D:\\Code.exe', 'D:\\cli.js')?.[3], '"D:\\Code.exe" "D:\\cli.js" %*');
  });
});
