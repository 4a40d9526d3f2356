import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findStartCommand } from '../../src/coding-agents/find-start-command.ts';
import { launchers } from '../../src/extension/activation/terminal-path.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the command that starts the MCP server', () => {
  let root: Awaited<ReturnType<typeof temporaryFolder>>;
  let ours: string;
  let theirs: string;

  before(async () => {
    root = await temporaryFolder();
    ours = path.join(root.path, 'our launchers');
    theirs = path.join(root.path, 'theirs');
    for (const folder of [ours, theirs]) await mkdir(folder);
    await writeFile(path.join(ours, 'agent-harbor'), '');
    await writeFile(path.join(ours, 'agent-harbor.cmd'), '');
  });

  after(() => root[Symbol.asyncDispose]());

  const searchPath = () => [theirs, ours].join(path.delimiter);

  it('is the launcher of this VS Code where nothing else is on the PATH', async () => {
    assert.deepEqual(await findStartCommand(ours, searchPath(), 'darwin'), {
      command: path.join(ours, 'agent-harbor'),
      args: ['mcp'],
    });
    assert.deepEqual(await findStartCommand(ours, searchPath(), 'win32'), {
      command: 'cmd',
      args: ['/c', path.join(ours, 'agent-harbor.cmd'), 'mcp'],
    });
  });

  it('is its name if it is installed for all users, in a form that the system can start', async () => {
    const launcher = path.join(ours, 'agent-harbor.cmd');
    // The script of a POSIX shell, which npm installs on Windows too.
    await writeFile(path.join(theirs, 'agent-harbor'), '');
    assert.equal((await findStartCommand(ours, searchPath(), 'linux')).command, 'agent-harbor');
    assert.deepEqual((await findStartCommand(ours, searchPath(), 'win32')).args, ['/c', launcher, 'mcp']);
    for (const name of ['agent-harbor.cmd', 'agent-harbor.exe']) {
      await using folder = await temporaryFolder();
      await writeFile(path.join(folder.path, name), '');
      const found = await findStartCommand(ours, [folder.path, ours].join(path.delimiter), 'win32');
      assert.deepEqual(found.args, ['/c', 'agent-harbor', 'mcp'], name);
    }
  });

  it('starts a launcher of this system in a folder with spaces', async () => {
    await using folder = await temporaryFolder();
    const spaced = path.join(folder.path, 'Global Storage');
    const said = path.join(folder.path, 'says.mjs');
    await mkdir(spaced);
    await writeFile(said, 'console.log(process.argv.at(-1));\n');
    const paths = { executable: process.execPath, cli: said, folder: spaced };
    for (const [name, text] of Object.entries(launchers(paths)))
      await writeFile(path.join(spaced, name), text, { mode: 0o755 });
    const { command, args } = await findStartCommand(spaced, '');
    const { stdout } = await promisify(execFile)(command, [...args]);
    assert.equal(stdout.trim(), 'mcp');
  });
});
