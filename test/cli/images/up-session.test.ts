import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { containerProcessOn } from '../../../src/cli/images/up-session.ts';
import { startCli } from '../../support/cli.ts';
import { skip } from '../../support/skip.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

const IMAGE = JSON.stringify([
  {
    Id: `sha256:${'a'.repeat(64)}`,
    Config: { ExposedPorts: { '8000/tcp': {} }, Volumes: { '/data': {} } },
  },
]);

/**
 * Answers as Docker does. Its container exists only after stopping it has failed once, which cannot be timed with a
 * real one.
 */
const TOOL = `#!/bin/sh
cd "$(dirname "$0")"
echo "$1" >> log
case "$1" in
  --version) echo 'Docker version 27.0.1, build x' ;;
  version) echo 27.0.1 ;;
  image) echo '${IMAGE}' ;;
  container) [ -e container ] && echo true ;;
  run)
    until grep -q stop log; do sleep 0.05; done
    touch container
    while [ -e container ]; do sleep 0.05; done ;;
  stop) rm container ;;
  rm) [ "$2" = --force ] && rm -f container || [ ! -e container ] ;;
esac
`;

describe('agent-harbor up', () => {
  before(function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
  });

  async function project() {
    const folder = await temporaryFolder();
    const file = (name: string) => path.join(folder.path, name);
    await writeFile(file('docker'), TOOL, { mode: 0o755 });
    await writeFile(file('langgraph.json'), JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }));
    return {
      file,
      log: () => readFile(file('log'), 'utf8').catch(() => ''),
      hasContainer: () =>
        access(file('container')).then(
          () => true,
          () => false,
        ),
      up: () =>
        startCli(['up', '--image', 'x', '--port', '0'], {
          cwd: folder.path,
          environment: { AGENT_HARBOR_CONTAINER_TOOL: file('docker') },
        }),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  }

  it('ends when it is interrupted before there is a container, and leaves none', async () => {
    await using made = await project();
    await using running = made.up();
    await eventually('the start of a container', made.log, (log) => /^run$/m.test(log));
    const { code } = await running.interrupt();
    assert.equal(code, 0);
    assert.equal(await made.hasContainer(), false);
  });

  it('is refused while the same project is running, which continues', async () => {
    await using made = await project();
    await writeFile(made.file('container'), '');
    await using running = made.up();
    const { code, stderr } = await running.ended();
    assert.equal(code, 1);
    assert.match(stderr, /This project is already running, in the container agent-harbor-\S+\. Press Ctrl-C/);
    assert.equal(await made.hasContainer(), true);
    assert.doesNotMatch(await made.log(), /^(?:run|stop|rm)$/m);
  });
});

describe('the process of a container', () => {
  it('does not get Ctrl-C from the terminal', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no groups of processes');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], {
      stdio: 'ignore',
      ...containerProcessOn('linux'),
    });
    assert.ok(child.pid !== undefined);
    const ended = once(child, 'exit');
    // Only the first process of a group can be told by the number of the group.
    process.kill(-child.pid, 'SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM']);
  });

  it('ends with the command on Windows, and opens no window', () => {
    assert.deepEqual(containerProcessOn('win32'), { detached: false, windowsHide: true });
  });
});
