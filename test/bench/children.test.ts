import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Children } from '../../bench/harness/children.ts';
import { isAlive } from '../support/process-tree.ts';
import { skip } from '../support/skip.ts';
import { eventually, patience } from '../support/wait.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Starts a child process that never ends by itself, and prints its ID. */
const parent = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

/** Notes each signal in a file, and ends once a second one would have arrived. */
const listener = `
  const { appendFileSync } = require('node:fs');
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
    appendFileSync(process.env.NOTES, signal + ' ');
    setTimeout(() => process.exit(), 500);
  });
  console.log('ready');
  setInterval(() => {}, 1000);
`;

/** A benchmark with one process, that ends on Ctrl-C. */
const interruptible = `
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Children } from './bench/harness/children.ts';
  const children = new Children({ graceMs: 20_000, report: console.log });
  const { NOTES } = process.env;
  const child = await children.start({ name: 'test', args: ['-e', ${JSON.stringify(listener)}], cwd: '.', env: { NOTES } });
  while (!(await child.output('stdout')).includes('ready')) await sleep(20);
  process.on('SIGINT', async () => {
    await children.stopAll();
    process.exit();
  });
  console.log('started');
  setInterval(() => {}, 1000);
`;

describe('a process that the benchmark started', () => {
  it('stops with all its child processes and leaves no folder behind', async function () {
    this.timeout(30_000);
    const reported: string[] = [];
    const report = (sentence: string) => reported.push(sentence);
    const children = new Children({ graceMs: 500 * patience, report });
    const state = await mkdtemp(path.join(tmpdir(), 'bench-state-'));
    const child = await children.start({
      name: 'test',
      args: ['-e', parent],
      cwd: tmpdir(),
      leaves: [state],
    });
    const printed = await eventually('the id of the grandchild', () => child.output('stdout'));
    const grandchild = Number(printed);
    const pids = await child.pids();
    assert.equal(pids.length, 2);
    assert.ok(pids.includes(grandchild));

    await children.stopAll();

    assert.deepEqual(pids.filter(isAlive), []);
    assert.deepEqual(reported, ['test: 1 of 2 processes did not end by themselves.']);
    assert.equal(existsSync(child.folder), false);
    assert.equal(existsSync(state), false);
    const late = children.start({ name: 'test', args: ['-e', parent], cwd: tmpdir() });
    await assert.rejects(late, /is ending/);
  });

  it('is asked to stop only once, by the benchmark, when Ctrl-C reaches its whole process group', async function () {
    if (process.platform === 'win32') skip(this, 'Windows ends a process without asking it');
    this.timeout(30_000);
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-notes-'));
    const notes = path.join(folder, 'signals');
    const bench = spawn(process.execPath, ['--input-type=module-typescript', '-e', interruptible], {
      cwd: root,
      detached: true,
      env: { ...process.env, NOTES: notes },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: bench.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'started');
    process.kill(-(bench.pid ?? 0), 'SIGINT');
    assert.equal((await lines.next()).done, true, 'nothing to report');
    assert.equal(await readFile(notes, 'utf8'), 'SIGTERM ');
    await rm(folder, { recursive: true });
  });

  it('inherits no settings that would change a server’s defaults', async () => {
    process.env.LANGSMITH_API_KEY = 'a key of the user';
    const children = new Children({ graceMs: 10_000, report: assert.fail });
    try {
      const script = 'console.log(String(process.env.LANGSMITH_API_KEY))';
      const child = await children.start({ name: 'test', args: ['-e', script], cwd: tmpdir() });
      assert.equal((await eventually('its output', () => child.output('stdout'))).trim(), 'undefined');
    } finally {
      delete process.env.LANGSMITH_API_KEY;
      await children.stopAll();
    }
  });
});
