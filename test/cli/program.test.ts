import assert from 'node:assert/strict';
import { hintFor, withoutList } from '../../src/cli/hints.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { Terminal } from '../../src/cli/terminal/terminal.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';

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
      const root = await makeProgram(options, connect, asked);
      assert.deepEqual([root.commands.length, root.version()], [0, '1.2.3']);
    }
  });

  it('are loaded one by one', async () => {
    const root = await makeProgram(options, connect, 'dev');
    assert.deepEqual(
      root.commands.map((command) => command.name()),
      ['dev'],
    );
  });

  it('are grouped by topic in the list of all commands', async () => {
    const help = (
      await makeProgram(
        options,
        () => Promise.resolve({ ...options, dispatcher: createDispatcher({}) }),
        '--help',
      )
    ).helpInformation();
    const headings = help.match(/^[A-Z].*:$/gm);
    assert.deepEqual(headings, [
      'Options:',
      'Develop:',
      'Record and evaluate:',
      'Agents:',
      'Traces:',
      'Deploy:',
      'Server:',
      'Commands:',
    ]);
    assert.match(help, /^Deploy:\n {2}deploy [\s\S]*^ {2}revisions [\s\S]*^Server:/m);
  });

  it('are accepted with superfluous words', () => {
    assert.deepEqual(withoutList(['revisions', 'list', 'yard']), ['revisions', 'yard']);
    assert.deepEqual(withoutList(['revisions', 'list', '--json']), ['revisions', 'list', '--json']);
    assert.equal(hintFor(['deployments', 'revisions', 'yard']), 'Use agent-harbor revisions <deployment>.');
  });
});
