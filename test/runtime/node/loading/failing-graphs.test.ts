import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionClosedError } from '../../../../src/runtime/protocol/connection.ts';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';
import { skip } from '../../../support/skip.ts';
import { eventually } from '../../../support/wait.ts';

for (const line of langgraphLines) {
  describe(`a failing graph on ${line}`, () => {
    let project: GraphProject;
    /** A shared host, for tests that neither end it nor read its whole log. */
    let host: RuntimeHost;

    const start = async () => {
      const started = new RuntimeHost({ project });
      await started.initialize(
        'throws',
        'throws_oddly',
        'slow',
        'blocking',
        'prints',
        'exits',
        'dies',
        'strays',
        'deaf',
        'hangs',
        'computes',
        'one_node',
      );
      return started;
    };
    before(async () => {
      project = await graphProject({ line });
      project.graphs.hangs = { path: './troubles.ts:hangs' };
      project.graphs.computes = { path: './troubles.ts:computes' };
      project.graphs.throws_oddly = { path: './troubles.ts:throwsOddly' };
      host = await start();
    });
    after(async () => {
      await host?.[Symbol.asyncDispose]();
      await project?.[Symbol.asyncDispose]();
    });

    it('reports what was thrown, with its location, and keeps the previous state', async () => {
      const run = await host.run('throws', { ms: 1 }, { stream_modes: ['updates'] });
      assert.equal(run.status, 'error');
      assert.deepEqual(run.events, [['updates', { first: { log: 'first' } }]]);
      assert.equal(run.error?.name, 'RangeError');
      assert.equal(run.error?.message, 'The node failed on purpose.');
      assert.deepEqual(run.error?.location, {
        file: path.join(project.folder, 'troubles.ts'),
        line: 11,
        column: 11,
      });
      assert.deepEqual(run.state?.next, ['fail']);
      assert.equal(run.state?.values, '{"ms":1,"log":"first"}');
      const { tasks } = (await host.state('throws', run.threadId)) as { tasks: { error: string }[] };
      assert.match(tasks[0]?.error ?? '', /The node failed on purpose/);
      const logged = await eventually('the stack in the log', () => host.logs[0]);
      assert.deepEqual([logged.level, logged.run_id], ['error', run.runId]);
      const [first, second, ...rest] = logged.message.split('\n');
      assert.equal(first, 'RangeError: The node failed on purpose.');
      assert.match(second ?? '', /^ +at .*troubles\.ts:11:11\)?$/);
      assert.deepEqual(rest, [], 'how LangGraph came to call it is left out');
    });

    it('reports what was thrown even if it is not an Error or has no message', async () => {
      const object = await host.run('throws_oddly', { log: 'object' });
      assert.match(object.error?.message ?? '', /code: 7.*size: 100000000000000000000n/);
      const several = await host.run('throws_oddly', {});
      assert.equal(several.error?.name, 'AggregateError');
      assert.equal(
        several.error?.message,
        'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
      );
    });

    it('streams and stores results of nodes that never await, and notices a cancellation', async () => {
      const stored: number[] = [];
      const run = await host.run(
        'computes',
        { ms: 20 },
        {
          run_id: 'to-cancel',
          thread_id: 'computing',
          stream_modes: ['updates'],
          config: { recursion_limit: 100 },
          onEvent: () => {
            stored.push(host.checkpoints.list({ thread_id: 'computing', checkpoint_ns: '' }).length);
            if (stored.length === 4) void host.connection.request('run.cancel', { run_id: 'to-cancel' });
          },
        },
      );
      assert.equal(run.status, 'cancelled');
      assert.ok(stored.length < 40, 'all steps had been taken');
      // The input and every step but the newest.
      for (const [index, count] of stored.entries()) assert.ok(count >= index + 1, `${stored}`);
    });

    it('is canceled immediately, keeping its progress', async () => {
      let cancelledAt = 0;
      const run = await host.run(
        'slow',
        { ms: 60_000 },
        {
          run_id: 'canceled-at-once',
          stream_modes: ['custom', 'values'],
          onEvent: (name) => {
            if (name !== 'custom') return;
            cancelledAt = Date.now();
            void host.connection.request('run.cancel', { run_id: 'canceled-at-once' });
          },
        },
      );
      assert.ok(Date.now() - cancelledAt < 50_000, 'it did not run to its end');
      assert.equal(run.status, 'cancelled');
      assert.deepEqual(run.state?.next, ['work']);
      assert.equal(run.state?.values, '{"ms":60000,"log":"prepared"}');
    });

    for (const id of ['deaf', 'hangs']) {
      it(`is canceled even if it ignores the signal: ${id}`, async () => {
        const running = host.run(id, {}, { run_id: id });
        await delay(100);
        await host.connection.request('run.cancel', { run_id: id });
        assert.equal((await running).status, 'cancelled');
      });
    }

    it('does not delay reads of its state', async () => {
      await assert.rejects(
        host.connection.request('graph.schemas', { graph_id: 'hangs', config: {}, context: {} }),
        /The function that creates graph 'hangs' did not return within 10 s/,
      );
    });

    it('ignores the cancellation of an unknown run', async () => {
      assert.deepEqual(await host.connection.request('run.cancel', { run_id: 'gone' }), {});
    });

    it('blocks only itself: other runs end when it yields', async () => {
      const [blocked, other] = await Promise.all([
        host.run('blocking', { ms: 300 }),
        host.run('one_node', { value: 1 }),
      ]);
      assert.deepEqual([blocked.status, other.status], ['success', 'success']);
      assert.deepEqual(await host.connection.request('ping', {}), {});
    });

    // None of this depends on LangGraph.
    const onNewest = line === langgraphLines.at(-1) ? it : undefined;
    onNewest?.(
      'is told of the line that holds up its event loop, once, and of nothing while a debugger is attached',
      async function () {
        this.timeout(60_000);
        await using host = await start();
        await host.connection.request('debugger.open', {});
        for (let run = 0; run < 3; run++) await host.run('blocking', { ms: 900 });
        await host.connection.request('debugger.close', {});
        assert.deepEqual(blockingCalls(host), []);
        // The first block is only noticed.
        const call = await eventually(
          'the line',
          async () => {
            await host.run('blocking', { ms: 2000 });
            return blockingCalls(host)[0];
          },
          Boolean,
          40_000,
        );
        assert.equal(path.basename(call.file), 'troubles.ts');
        assert.equal(call.line, 35);
        assert.match(call.advice, /blocks the event loop/);
        await host.run('blocking', { ms: 2000 });
        assert.equal(blockingCalls(host).length, 1);
      },
    );

    onNewest?.('is not told of a line that only waits for a CPU of a busy machine', async function () {
      this.timeout(60_000);
      await using host = await start();
      const { pid = 0 } = host;
      // The main thread shares a CPU with a program of higher priority.
      const isPinned = spawnSync('taskset', ['-c', '-p', '0', String(pid)]).status === 0;
      if (!isPinned) skip(this, 'only Linux tells how long a thread waits for a CPU.');
      const spin = 'process.stdout.write("spinning"); for (;;);';
      const busy = spawn('taskset', ['-c', '0', process.execPath, '-e', spin]);
      await once(busy.stdout, 'data');
      // The runtime gets a tenth of the CPU, even where the tests themselves have a low priority: with less, everything
      // else that it does takes minutes.
      setPriority(pid, Math.min(19, getPriority() + 10));
      try {
        for (let run = 0; run < 3; run++) await host.run('blocking', { ms: 900 });
      } finally {
        busy.kill('SIGKILL');
      }
      assert.deepEqual(blockingCalls(host), []);
    });

    const blockingCalls = ({ logs }: RuntimeHost) => logs.flatMap(({ blocking }) => blocking ?? []);

    it('prints without disturbing the protocol', async () => {
      const run = await host.run('prints', {});
      assert.equal(run.status, 'success');
      await eventually(
        'the output',
        () => host.output,
        (text) => text.includes('not the protocol'),
      );
      assert.match(host.output, /printed with console\.log/);
      await eventually('standard error', () => host.errorOutput.includes('printed with console.error'));
      assert.deepEqual(host.protocolErrors, []);
    });

    it('fails alone when its node would end the process', async () => {
      const other = host.run('slow', { ms: 300 });
      const run = await host.run('exits', {});
      assert.deepEqual([run.status, run.error?.name], ['error', 'ProcessExitError']);
      assert.match(run.error?.message ?? '', /called process\.exit\(7\), which would stop all runs/);
      assert.match(run.error?.location?.file ?? '', /troubles\.ts$/);
      assert.equal((await other).status, 'success');
    });

    it('ends all runs of the runtime when it crashes the process', async () => {
      await using host = await start();
      await assert.rejects(host.run('dies', {}), { name: 'ConnectionClosedError' });
      await host.exited;
    });

    it('survives uncaught errors outside runs, and reports them', async () => {
      await using host = await start();
      const run = await host.run('strays', {});
      assert.equal(run.status, 'success');
      const logs = await eventually(
        'both logs',
        () => host.logs,
        (all) => all.length === 2,
      );
      assert.match(logs.map(({ message }) => message).join(), /A promise nobody waits for/);
      assert.match(logs.map(({ message }) => message).join(), /A timer that throws/);
      assert.deepEqual(
        logs.map(({ level, run_id }) => [level, run_id]),
        [
          ['error', run.runId],
          ['error', run.runId],
        ],
      );
    });

    it('is an error of the run when it does not exist', async () => {
      const run = await host.run('no_such_graph', {});
      assert.equal(run.status, 'error');
      assert.equal(run.error?.message, "Graph 'no_such_graph' not found.");
    });

    it('refuses invalid input', async () => {
      const run = await host.run('one_node', null);
      assert.equal(run.status, 'error');
      assert.equal(run.error?.name, 'EmptyInputError');
      const command = await host.run('one_node', null, { command: { update: 'text' } });
      assert.match(command.error?.message ?? '', /command\.update must be an object/);
    });

    it('leaves its runs unanswered at shutdown, so that they are continued', async () => {
      await using host = await start();
      const running = host.run('slow', { ms: 60_000 }, { stream_modes: ['custom'] });
      await delay(100);
      await host.connection.request('shutdown', {});
      await assert.rejects(running, ConnectionClosedError);
      assert.equal(await host.exited, 0);
    });

    it('ends with the server', async () => {
      await using host = await start();
      host.connection.close();
      assert.equal(await host.exited, 0);
    });
  });
}
