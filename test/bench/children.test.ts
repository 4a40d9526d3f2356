import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Children } from '../../bench/harness/children.ts';
import { isAlive } from '../support/process-tree.ts';
import { eventually } from '../support/wait.ts';

/** Starts a process of its own that never ends by itself, and prints its id. */
const parent = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

describe('a process that the benchmark started', () => {
  it('stops with all its child processes and leaves no folder behind', async function () {
    this.timeout(30_000);
    const reported: string[] = [];
    const report = (sentence: string) => reported.push(sentence);
    const children = new Children({ graceMs: 500, report });
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

  it('inherits no settings that would change a server’s defaults', async () => {
    process.env.LANGSMITH_API_KEY = 'a key of the user';
    const children = new Children({ graceMs: 500, report: assert.fail });
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
