import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { guardOptionsOn } from '../../../../src/process/guard.ts';
import { CommandError, CommandRunner } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { isAlive } from '../../../support/process-tree.ts';
import { serverBundles } from '../../../support/server-bundles.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually, patience } from '../../../support/wait.ts';

/** Starts a child that outlives its parent unless both are ended, and writes its process ID to a file. */
const stubborn = (file: string) => `
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
process.on('SIGTERM', () => {});
const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore' });
writeFileSync(${JSON.stringify(file)}, JSON.stringify([process.pid, child.pid]));
setInterval(() => {}, 1000);
`;

describe('a command of a build', function () {
  this.timeout(90_000);
  let buildGuard: string;
  let runner: CommandRunner;
  before(async () => {
    ({ buildGuard } = await serverBundles());
    runner = new CommandRunner(buildGuard);
  });
  const node = (script: string, options: Partial<Parameters<CommandRunner['run']>[0]> = {}) =>
    runner.run({
      command: process.execPath,
      args: ['-e', script],
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH ?? '' },
      timeoutMs: 20_000 * patience,
      signal: new AbortController().signal,
      ...options,
    });

  async function processes(file: string): Promise<number[]> {
    return eventually('it runs', async () => JSON.parse(await readFile(file, 'utf8')) as number[]);
  }

  it('returns its output line by line, and gets only the given environment', async () => {
    const lines: string[] = [];
    const output = await node(
      'console.log("one\\ntwo"); console.error("three"); console.log(Object.keys(process.env).join())',
      {
        env: { ONLY: 'this' },
        onLine: (line, from) => lines.push(`${from}: ${line}`),
      },
    );
    assert.deepEqual(output.split('\n').slice(0, 2), ['one', 'two']);
    const names = output.split(/[\n,]/);
    assert.ok(names.includes('ONLY'));
    // libuv gives HOMEDRIVE and the like to every process on Windows.
    const others = process.platform === 'win32' ? 'APPDATA' : 'HOME';
    assert.ok(process.env[others] !== undefined && !names.includes(others), output);
    assert.ok(lines.includes('stderr: three'));
  });

  it('has a guard that on Windows is in no job of the server, and opens no window', () => {
    assert.deepEqual(guardOptionsOn('win32'), { detached: true, windowsHide: true });
    // Closing a terminal ends the processes in its group.
    assert.equal(guardOptionsOn('linux').detached, false);
    assert.equal(guardOptionsOn('darwin').detached, false);
  });

  it('fails with its exit code, however busy this process is when it ends', async () => {
    let isBusy = true;
    const beBusy = () => {
      const until = performance.now() + 30;
      while (performance.now() < until);
      if (isBusy) setTimeout(beBusy, 1);
    };
    beBusy();
    const codes: unknown[] = [];
    const runMany = async () => {
      for (let times = 0; times < 15; times++) {
        await node('console.log("x".repeat(3_000)); process.exit(3)').then(
          () => codes.push('passed'),
          (error: unknown) => codes.push(error instanceof CommandError ? error.code : error),
        );
      }
    };
    try {
      await Promise.all(Array.from({ length: 10 }, runMany));
    } finally {
      isBusy = false;
    }
    assert.deepEqual(codes, Array(150).fill(3));
  });

  it('that is long is shortened where it is shown', async () => {
    const long = node('process.exit(3)', { args: ['-e', 'process.exit(3)', '--', 'x'.repeat(200)] });
    await assert.rejects(
      long,
      /^CommandError: node(\.exe)? -e process\.exit\(3\) -- x+… exited with code 3\.$/,
    );
  });

  it('fails with its exit code and its errors', async () => {
    await assert.rejects(node('console.error("error: no luck"); process.exit(3)'), (error: unknown) => {
      assert.ok(error instanceof CommandError);
      assert.match(error.message, /^node(\.exe)? -e .* exited with code 3/);
      assert.deepEqual(error.errors, ['error: no luck']);
      return true;
    });
    await assert.rejects(
      runner.run({
        command: 'no-such-program',
        args: [],
        cwd: import.meta.dirname,
        env: {},
        timeoutMs: 5_000 * patience,
        signal: new AbortController().signal,
      }),
      /'no-such-program' is not installed/,
    );
  });

  it('gets its arguments unchanged, without a shell', async () => {
    const output = await runner.run({
      command: process.execPath,
      args: ['-e', 'console.log(process.argv.slice(1).join("|"))', '$HOME', '`id`', '; id', '* "x"'],
      cwd: import.meta.dirname,
      env: {},
      timeoutMs: 10_000 * patience,
      signal: new AbortController().signal,
    });
    assert.equal(output, '$HOME|`id`|; id|* "x"');
  });

  it('stops with all child processes at its time limit, and when aborted', async () => {
    await using folder = await temporaryFolder();
    const late = path.join(folder.path, 'late.json');
    // On a busy machine, Node may need longer to start, and there is nothing to end yet.
    for (let seconds = 2; seconds <= 32 && !existsSync(late); seconds *= 2) {
      const running = node(stubborn(late), { timeoutMs: seconds * 1_000 });
      await assert.rejects(running, new RegExp(`took longer than ${seconds} s`));
    }
    for (const pid of await processes(late)) await eventually('it has gone', () => !isAlive(pid));

    const aborted = path.join(folder.path, 'aborted.json');
    const controller = new AbortController();
    const running = node(stubborn(aborted), { signal: controller.signal });
    const pids = await processes(aborted);
    controller.abort(new Error('not wanted any more'));
    await assert.rejects(running, /not wanted any more/);
    for (const pid of pids) await eventually('it has gone', () => !isAlive(pid));
  });

  it('leaves no background process behind', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'left.json');
    await node(`${stubborn(file)}; setTimeout(() => process.exit(0), 200)`);
    for (const pid of await processes(file)) await eventually('it has gone', () => !isAlive(pid));
  });

  it('stops when its server is killed', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'orphan.json');
    const script = path.join(folder.path, 'parent.mjs');
    await writeFile(
      script,
      `import { CommandRunner } from ${JSON.stringify(pathToFileURL('src/server/control-plane/builds/command-runner.ts'))};
       await new CommandRunner(${JSON.stringify(buildGuard)}).run({ command: process.execPath, args: ['-e', ${JSON.stringify(stubborn(file))}], cwd: ${JSON.stringify(folder.path)}, env: {}, timeoutMs: 60000, signal: new AbortController().signal });`,
    );
    const parent: ChildProcess = spawn(process.execPath, [script], { stdio: 'ignore' });
    const pids = await processes(file);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    for (const pid of pids) await eventually('it has gone', () => !isAlive(pid));
  });

  it('leaves nothing that a container tool was just starting for it when it is stopped', async function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
    await using folder = await temporaryFolder();
    const tool = path.join(folder.path, 'tool');
    // Like an engine, the tool finishes its task even if its caller has exited.
    const script = `#!/bin/sh
cd "$(dirname "$0")"
[ "$1" = rm ] && { rm -f container; exit; }
setsid sh -c 'echo asked; sleep 4; touch container; echo > started' &
until [ -e started ]; do sleep 0.1; done
while [ -e container ]; do sleep 0.1; done
`;
    await writeFile(tool, script, { mode: 0o755 });
    const stop = new AbortController();
    const running = runner.run({
      command: tool,
      args: ['run'],
      cleanup: ['rm'],
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '' },
      signal: stop.signal,
      onLine: () => stop.abort(),
    });
    await assert.rejects(running);
    await eventually('the engine has done what it was asked', () =>
      readFile(path.join(folder.path, 'started')),
    );
    await eventually(
      'nothing is left',
      () => readdir(folder.path),
      (names) => !names.includes('container'),
    );
  });

  it('exits when it gets no job', async () => {
    const guard = fork(buildGuard, { execArgv: [] });
    guard.disconnect();
    await once(guard, 'exit');
  });
});
