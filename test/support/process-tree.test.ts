import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { endProcessTree, isAlive, type Marker, processTree } from './process-tree.ts';
import { findPython, withPython } from './python-environments.ts';
import { skip } from './skip.ts';
import { eventually } from './wait.ts';

/** Prints when it has begun to ignore requests to end. */
const deaf = "process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1000);";
const forever = 'setInterval(() => {}, 1000);';

/** Starts a process that starts another, detached or not, and prints its pid. */
async function startPair(
  detached: boolean,
  marker: Marker,
): Promise<{ parent: ChildProcess; child: number }> {
  const source = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], {
      detached: ${detached}, stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.once('data', () => console.log(child.pid));
    ${forever}`;
  const parent = spawn(process.execPath, ['-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [marker.name]: marker.value },
  });
  const [line] = await once(parent.stdout, 'data');
  return { parent, child: Number(String(line)) };
}

describe('a process tree', () => {
  const marker = (): Marker => ({ name: 'AGENT_HARBOR_STARTED_BY', value: randomUUID() });

  it('ends with its descendants, those included that ignore being asked', async () => {
    const { parent, child } = await startPair(false, marker());
    assert.ok(parent.pid);
    assert.deepEqual(new Set(processTree([parent.pid])), new Set([parent.pid, child]));
    await endProcessTree([parent.pid], undefined, 200);
    assert.deepEqual([parent.pid, child].filter(isAlive), []);
  });

  it('ends with processes that were started detached and have lost their parent', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of another process');
    const mark = marker();
    const { parent, child } = await startPair(true, mark);
    assert.ok(parent.pid);
    parent.kill('SIGKILL');
    await once(parent, 'close');
    assert.ok(isAlive(child));
    await endProcessTree([parent.pid], mark, 200);
    assert.equal(isAlive(child), false);
  });

  it('is alive until the last thread of its process has ended, because files and locks are held until then', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the threads of another process');
    const { file } = await withPython(this, findPython);
    const source = `
import ctypes, threading
def wait():
    print('ready', flush=True)
    input()
threading.Thread(target=wait).start()
ctypes.CDLL(None).pthread_exit(None)`;
    const child = spawn(file, ['-c', source], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { pid } = child;
    assert.ok(pid);
    await once(child.stdout, 'data');
    await eventually('its first thread has ended', () =>
      /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')),
    );
    assert.ok(isAlive(pid));
    child.stdin.end('\n');
    await eventually('it has ended', () => !isAlive(pid));
  });
});
