import assert from 'node:assert/strict';
import { program } from '../../src/cli/program.ts';
import { Terminal } from '../../src/cli/terminal/terminal.ts';

describe('the commands of the command line', () => {
  const { stdin, stdout, stderr } = process;
  const options = {
    terminal: new Terminal({ stdout, stderr, environment: {} }),
    version: '1.2.3',
    serverPath: '/nowhere/server.js',
    templatesPath: '/nowhere/templates',
    environment: {},
    stdin,
    interrupted: new AbortController().signal,
  };
  /** Only commands that are run need it. */
  const connect = () => Promise.reject(new Error('It was asked to connect.'));

  it('are not loaded for the version', async () => {
    for (const asked of ['--version', '-V']) {
      const root = await program(options, connect, asked);
      assert.deepEqual([root.commands.length, root.version()], [0, '1.2.3']);
    }
  });

  it('are loaded one by one', async () => {
    const root = await program(options, connect, 'dev');
    assert.deepEqual(
      root.commands.map((command) => command.name()),
      ['dev'],
    );
  });
});
