import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type PythonProject,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../../support/python-projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { skip } from '../../support/skip.ts';
import { eventually, patience } from '../../support/wait.ts';

describe('Python code that blocks', () => {
  let project: PythonProject;
  let host: RuntimeHost;

  before(async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    project = await pythonProject({ python });
  });
  beforeEach(async () => {
    host = new RuntimeHost(pythonRuntime(project));
    await host.initialize();
  });
  afterEach(() => host[Symbol.asyncDispose]());
  after(() => project?.[Symbol.asyncDispose]());

  /** The longest time between two events of a run that streams continuously, in ms. */
  async function longestPause(during: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    const ticking = host.run(
      'ticks',
      { ms: 1500 * patience },
      { stream_modes: ['custom'], onEvent: () => times.push(performance.now()) },
    );
    await eventually('the first tick', () => times.length > 0);
    await during();
    await ticking;
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
  }

  it('in an asynchronous node stops neither streams nor other runs, and the log says what to do instead', async () => {
    const pause = await longestPause(() => host.run('blocking', { ms: 1000 * patience }));
    assert.ok(pause < 900 * patience, `the stream paused for ${pause} ms, about as long as the node blocked`);
    const hint = await eventually('the hint', () => host.logs.find(({ level }) => level === 'warning'));
    assert.match(hint.message, /troubles\.py:\d+: 'block' is asynchronous but blocks/);
    const { file, line, advice } = hint.blocking ?? assert.fail();
    assert.ok(hint.message.startsWith(`${file}:${line}: ${advice}`));
  });

  it('in a synchronous node runs in a thread', async () => {
    const pause = await longestPause(() =>
      Promise.all(Array.from({ length: 12 }, () => host.run('slow_thread', { ms: 800 * patience }))),
    );
    assert.ok(
      pause < 700 * patience,
      `the stream paused for ${pause} ms, about as long as the nodes blocked`,
    );
    assert.deepEqual(
      host.logs.filter(({ level }) => level === 'warning'),
      [],
    );
  });

  it('does not keep new runs from starting', async () => {
    let begun = false;
    const spinning = host.run(
      'spinning',
      { ms: 2000 * patience },
      { stream_modes: ['custom'], onEvent: () => (begun = true) },
    );
    await eventually('the run that blocks', () => begun);
    await delay(600 * patience);
    let isSpinning = true;
    void spinning.then(() => (isSpinning = false));
    const run = await host.run('one_node', { value: 1 });
    assert.equal(run.status, 'success');
    assert.ok(isSpinning, 'the run that blocks still goes on');
    assert.equal((await spinning).status, 'success');
  });

  it('is detected once, and then shares no event loop with other runs', async () => {
    // On a busy machine, a run may get too little CPU time to be noticed, so each attempt takes longer.
    let ms = 0;
    await eventually(
      'the hint',
      async () => {
        ms += 800;
        await host.run('spinning', { ms });
        return host.logs.find(({ message }) => message.includes("'spin'"));
      },
      Boolean,
      40_000,
    );
    const pause = await longestPause(() => host.run('spinning', { ms: 1000 * patience }));
    assert.ok(pause < 900 * patience, `the stream paused for ${pause} ms, about as long as the node blocked`);
    assert.equal(host.logs.filter(({ message }) => message.includes('asynchronous but blocks')).length, 1);
  }).timeout(60_000);

  it('is not reported for a line that only waits for a CPU of a busy machine', async function () {
    const { pid = 0 } = host;
    // The event loop's thread shares a CPU with a program of higher priority.
    const isPinned = spawnSync('taskset', ['-a', '-c', '-p', '0', String(pid)]).status === 0;
    if (!isPinned) skip(this, 'only Linux tells how long a thread waits for a CPU.');
    const spin = 'process.stdout.write("spinning"); for (;;);';
    const busy = spawn('taskset', ['-c', '0', process.execPath, '-e', spin]);
    await once(busy.stdout, 'data');
    // The runtime gets a tenth of the CPU, even where the tests themselves have a low priority: with less, everything
    // else that it does takes minutes.
    setPriority(pid, Math.min(19, getPriority() + 10));
    try {
      for (let run = 0; run < 3; run++) {
        assert.equal((await host.run('spinning', { ms: 900 })).status, 'success');
      }
    } finally {
      busy.kill('SIGKILL');
    }
    assert.deepEqual(
      host.logs.flatMap(({ blocking }) => blocking ?? []),
      [],
    );
  }).timeout(60_000);
});
