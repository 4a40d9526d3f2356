import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isPassedOn } from '../../../src/cli/newer-node.ts';
import { argumentsOn, askToEnd } from '../../../src/cli/team/attached-server.ts';

/** Ends as a server does that drains first, when its input ends. */
const DRAINS = "process.stdin.on('end', () => process.exit(7)).resume(); console.log('up')";

describe('a server that is part of a command', () => {
  async function endOn(platform: NodeJS.Platform): Promise<unknown[]> {
    const server = spawn(process.execPath, ['-e', DRAINS], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(server.stdout, 'data');
    askToEnd(server, platform);
    return once(server, 'close');
  }

  it('ends by itself on Windows, where a signal would terminate it', async () => {
    assert.deepEqual(await endOn('win32'), [7, null]);
  });

  it('gets a signal on other systems', async () => {
    assert.deepEqual(await endOn('linux'), [null, 'SIGTERM']);
  });

  it('listens to its input on Windows, for every command', () => {
    assert.deepEqual(argumentsOn('win32', ['--move', '{}']), ['--move', '{}', '--until-stdin-ends']);
    assert.deepEqual(argumentsOn('win32', ['--until-stdin-ends']), ['--until-stdin-ends']);
    assert.deepEqual(argumentsOn('linux', ['--move', '{}']), ['--move', '{}']);
  });
});

describe('a signal to a command that runs on a newer Node', () => {
  it('is passed on unless the system sends it to both processes', () => {
    assert.ok(isPassedOn('SIGTERM', 'linux', true));
    assert.ok(isPassedOn('SIGINT', 'linux', false));
    assert.ok(!isPassedOn('SIGINT', 'darwin', true));
    for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP'] as const)
      assert.ok(!isPassedOn(signal, 'win32', false));
  });
});
