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
  it('starts the program with its arguments, wherever it is', async () => {
    await using folder = await temporaryFolder();
    // A percent sign is a variable to cmd.exe, and a quote ends one of a shell.
    const place = path.join(folder.path, "somebody's 100% code");
    await mkdir(place);
    const cli = path.join(place, 'cli.mjs');
    await writeFile(
      cli,
      'console.log(JSON.stringify([process.env.ELECTRON_RUN_AS_NODE, ...process.argv.slice(2)]));',
    );
    for (const [name, text] of Object.entries(launchers(process.execPath, cli))) {
      await writeFile(path.join(place, name), text);
      await chmod(path.join(place, name), 0o755);
    }
    const args = ['run', 'agent', 'two words'];
    const { stdout } = windows
      ? await run('cmd.exe', ['/d', '/c', 'agent-harbor.cmd', ...args], { cwd: place })
      : await run(path.join(place, 'agent-harbor'), args);
    assert.deepEqual(JSON.parse(stdout), ['1', ...args]);
  });

  it('has a launcher for cmd and PowerShell on Windows alone', () => {
    assert.deepEqual(Object.keys(launchers('/node', '/cli.js', 'linux')), ['agent-harbor']);
    const both = launchers('C:\\VS Code\\Code.exe', 'C:\\50%\\cli.js', 'win32');
    assert.deepEqual(Object.keys(both), ['agent-harbor', 'agent-harbor.cmd']);
    assert.match(both['agent-harbor.cmd'] ?? '', /^"C:\\VS Code\\Code\.exe" "C:\\50%%\\cli\.js" %\*\r\n/m);
  });
});
