import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  type PythonProject,
  pythonLines,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../../support/python-projects.ts';
import { messageIds } from '../../support/runtime/message-ids.ts';
import { receiveTraces, tracedTo } from '../../support/runtime/receive-traces.ts';
import { type ObservedRun, RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { eventually } from '../../support/wait.ts';

const Messages = z.array(
  z.object({
    type: z.string(),
    content: z.string(),
    tool_calls: z.array(z.object({ args: z.unknown() })).optional(),
  }),
);

const ToolEvent = z.object({
  event: z.string(),
  tool_call_id: z.string(),
  tool_name: z.string().optional(),
  input: z.unknown().optional(),
});

for (const line of pythonLines) {
  describe(`a run of a Python graph on ${line}`, () => {
    let project: PythonProject;
    let host: RuntimeHost;

    before(async function () {
      const python = await requirePython(this, line);
      project = await pythonProject({ python });
      for (const name of [
        'computes',
        'sys_exits',
        'sys_exits_on_the_loop',
        'interrupts_keyboard',
        'tells_too_much',
        'tells_of_garbage',
      ])
        project.graphs[name] = { path: `./troubles.py:${name}` };
      for (const name of ['keeps_values', 'keeps_values_with_a_saver', 'cannot_keep'])
        project.graphs[name] = { path: `./kept.py:${name}` };
      project.graphs.unnamed = { path: './chat.py:unnamed' };
      project.graphs.unclosed_manager = { path: './shapes.py:unclosed_manager' };
      project.graphs.tasks_in_node = { path: './shapes.py:tasks_in_node' };
      for (const name of [
        ...['louder', 'streams_another', 'held_up', 'fails_later'],
        ...['takes_for_its_own', 'streams_on', 'printed'],
      ])
        project.graphs[name] = { path: `./streamed.py:${name}` };
      host = new RuntimeHost(pythonRuntime(project));
      const { graphs } = await host.initialize();
      assert.deepEqual(
        graphs.filter(({ status }) => status === 'failed'),
        [],
      );
      const made = graphs.filter((graph) => graph.status === 'loaded' && graph.is_factory);
      assert.deepEqual(
        made.map(({ graph_id }) => graph_id),
        ['factory', 'async_factory', 'runtime_factory', 'async_manager', 'manager', 'unclosed_manager'],
      );
    });
    after(async () => {
      await host?.[Symbol.asyncDispose]();
      await project?.[Symbol.asyncDispose]();
    });

    it('streams tool events where LangGraph supports them', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ role: 'user', content: 'weather in Oslo' }] },
        { stream_modes: ['tools'] },
      );
      assert.equal(run.status, 'success');
      const told = run.events.filter(([event]) => event === 'tools').map(([, data]) => ToolEvent.parse(data));
      const expected = [
        { event: 'tool-started', tool_call_id: 'call_1', tool_name: 'get_weather', input: { city: 'Oslo' } },
        { event: 'tool-finished', tool_call_id: 'call_1' },
      ];
      assert.deepEqual(told, line === 'langgraph-1.2' ? expected : []);
    });

    it('streams messages of nodes with the ids that they have in the state', async () => {
      for (const mode of ['updates', 'tasks', 'debug'] as const) {
        const run = await host.run(
          'unnamed',
          { messages: [] },
          { stream_modes: [mode, 'values'], stream_subgraphs: true },
        );
        assert.equal(run.status, 'success', run.error?.stack);
        const ids = messageIds(run.events.findLast(([name]) => name === 'values')?.[1]);
        assert.deepEqual([...ids.keys()].toSorted(), ['five', 'four', 'one', 'three', 'two']);
        const streamed = messageIds(run.events.filter(([name]) => name.startsWith(mode)));
        // A value that is not a message becomes one when it is added.
        for (const content of ['one', 'two', 'three', 'five'])
          assert.equal(streamed.get(content), ids.get(content), `${mode}: ${content}`);
        assert.ok(ids.get('one'));
      }
    });

    it('streams its state and ends with it', async () => {
      const run = await host.run('one_node', { value: 1 });
      assert.equal(run.status, 'success');
      assert.deepEqual(run.events, [
        ['values', { value: 1 }],
        ['values', { value: 2 }],
      ]);
      assert.deepEqual(valuesOf(run), { value: 2 });
    });

    it('streams and stores results of nodes that never await, and notices a cancellation', async () => {
      const stored: number[] = [];
      const run = await host.run(
        'computes',
        { ms: 20 },
        {
          run_id: 'bdd79e2c-6f0e-4f8a-9a57-37c1f5d7a0c4',
          thread_id: 'computing',
          stream_modes: ['updates'],
          config: { recursion_limit: 100 },
          onEvent: () => {
            stored.push(host.checkpoints.list({ thread_id: 'computing', checkpoint_ns: '' }).length);
            if (stored.length !== 4) return;
            void host.connection.request('run.cancel', { run_id: 'bdd79e2c-6f0e-4f8a-9a57-37c1f5d7a0c4' });
          },
        },
      );
      assert.equal(run.status, 'cancelled');
      assert.ok(stored.length < 40, 'all steps had been taken');
      // The input and every step but the newest.
      for (const [index, count] of stored.entries()) assert.ok(count >= index + 1, `${stored}`);
    });

    it('continues from the state of its thread', async () => {
      const first = await host.run('one_node', { value: 1 });
      const second = await host.run('one_node', {}, { thread_id: first.threadId });
      assert.deepEqual(valuesOf(second), { value: 3 });
    });

    it('sends no request to the server on a new thread', async () => {
      host.asked.length = 0;
      await host.run('nested', { topic: 'x' });
      assert.deepEqual(host.asked, []);
    });

    it('stores each version of a value once', async () => {
      const run = await host.run('ten_nodes', { value: 0 });
      const tuples = host.checkpoints.list({ thread_id: run.threadId });
      assert.equal(tuples.length, 12);
      assert.deepEqual(valuesOf(run), { value: 10 });
    });

    it('has its garbage collected, without scanning what LangGraph consists of', async () => {
      const { log } = valuesOf(await host.run('tells_of_garbage', {}));
      assert.equal(log, 'collected: True, most is kept for good: True');
    });

    it('compiles an uncompiled graph', async () => {
      assert.deepEqual(valuesOf(await host.run('builder', { value: 4 })), { value: 8 });
    });

    it('sends tasks to a node', async () => {
      const run = await host.run('fan_out', { words: ['a', 'bcd', 'ef'] });
      assert.deepEqual(valuesOf(run), { words: ['a', 'bcd', 'ef'], lengths: [1, 3, 2] });
    });

    it('streams every custom event, in order', async () => {
      const run = await host.run('custom_events', { count: 1000 }, { stream_modes: ['custom'] });
      assert.deepEqual(
        run.events,
        Array.from({ length: 1000 }, (_, index) => ['custom', { index }]),
      );
    });

    it('uses the long-term store', async () => {
      const user = randomUUID();
      await host.run('memory', { user, fact: 'one' });
      const run = await host.run('memory', { user, fact: 'two' });
      assert.deepEqual(valuesOf(run).known, ['one', 'two']);
    });

    it('converts values that JSON does not support', async () => {
      const { things } = valuesOf(await host.run('exotic', {}));
      assert.deepEqual(things, {
        set: [1],
        deque: [1, 2],
        bytes: 'AQID',
        date: '1970-01-01T00:00:00+00:00',
        decimal: 1.5,
        path: 'a/b',
        id: '00000000-0000-0000-0000-000000000000',
        pattern: 'a+',
        tuple: [1, 'two'],
        7: 'seven',
      });
    });

    it('streams a model token by token, and its tool calls', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ type: 'human', content: 'weather in Rome' }] },
        { stream_modes: ['messages-tuple', 'messages', 'updates'] },
      );
      const messages = Messages.parse(valuesOf(run).messages);
      assert.deepEqual(
        messages.map(({ type, content }) => [type, content]),
        [
          ['human', 'weather in Rome'],
          ['ai', ''],
          ['tool', 'It is sunny in Rome.'],
          ['ai', 'You said: It is sunny in Rome.'],
        ],
      );
      assert.deepEqual(messages[1]?.tool_calls?.[0]?.args, { city: 'Rome' });
      const tuples = dataOf(run, 'messages') as [
        { type: string; content: string },
        { langgraph_node: string },
      ][];
      const words = tuples.filter(([chunk]) => chunk.type === 'AIMessageChunk' && chunk.content !== '');
      assert.deepEqual(
        words.map(([{ content }]) => content),
        ['You ', 'said: ', 'It ', 'is ', 'sunny ', 'in ', 'Rome.'],
      );
      assert.ok(words.every(([, { langgraph_node }]) => langgraph_node === 'model'));
      const partial = dataOf(run, 'messages/partial').at(-1) as [{ type: string; content: string }];
      assert.deepEqual([partial[0].type, partial[0].content], ['ai', 'You said: It is sunny in Rome.']);
      assert.equal((dataOf(run, 'messages/complete').at(-1) as unknown[]).length, 1);
      assert.ok(dataOf(run, 'messages/metadata').length >= 2);
    });

    it('stops at an interrupt, reports it with the state, and resumes with the answer', async () => {
      const run = await host.run('approval', { topic: 'x' }, { stream_modes: ['values', 'updates'] });
      assert.equal(run.status, 'interrupted');
      assert.deepEqual(run.state?.next, ['ask']);
      const [interrupts] = Object.values(JSON.parse(run.state?.interrupts ?? '{}')) as { value: object }[][];
      assert.deepEqual(interrupts?.[0]?.value, { question: 'Publish x?' });
      const values = dataOf(run, 'values').at(-1) as {
        answers: string[];
        __interrupt__: { value: object }[];
      };
      assert.deepEqual(values.answers, ['draft of x']);
      assert.deepEqual(values.__interrupt__[0]?.value, { question: 'Publish x?' });
      const update = dataOf(run, 'updates').at(-1) as { __interrupt__: unknown[] };
      assert.equal(update.__interrupt__.length, 1);

      const resumed = await host.run('approval', null, {
        thread_id: run.threadId,
        command: { resume: 'yes' },
      });
      assert.equal(resumed.status, 'success');
      assert.deepEqual(answersOf(resumed), ['draft of x', 'yes', 'published']);
    });

    it('has several interrupts at once', async () => {
      const run = await host.run('two_questions', { topic: 'x' });
      const waiting = JSON.parse(run.state?.interrupts ?? '{}') as Record<
        string,
        { id: string; value: string }[]
      >;
      const resume = Object.fromEntries(
        Object.values(waiting).flatMap((list) => list.map(({ id, value }) => [id, `${value} yes`])),
      );
      assert.equal(Object.keys(resume).length, 2);
      const resumed = await host.run('two_questions', null, { thread_id: run.threadId, command: { resume } });
      assert.deepEqual(answersOf(resumed).sort(), ['left: left? yes', 'middle', 'right: right? yes']);
    });

    it('stops before and after given nodes', async () => {
      const run = await host.run('approval', { topic: 'x' }, { interrupt_before: ['draft'] });
      assert.deepEqual([run.status, run.state?.next], ['interrupted', ['draft']]);
      assert.deepEqual(
        run.events.filter(([, data]) => JSON.stringify(data).includes('__interrupt__')),
        [],
      );
      const next = await host.run('approval', null, { thread_id: run.threadId, interrupt_after: '*' });
      assert.deepEqual([next.status, next.state?.next], ['interrupted', ['ask']]);
    });

    it('streams subgraphs with their namespace, and resumes inside them', async () => {
      const run = await host.run(
        'nested',
        { topic: 'x' },
        { stream_modes: ['values', 'updates', 'tasks', 'checkpoints'], stream_subgraphs: true },
      );
      assert.equal(run.status, 'interrupted');
      const inner = run.events
        .map(([name]) => name)
        .filter((name) => /^values\|child:[0-9a-f-]{36}$/.test(name));
      assert.ok(inner.length > 0);
      const state = await host.state('nested', run.threadId, true);
      const [task] = state.tasks as { name: string; state: { next: string[] } }[];
      assert.deepEqual([task?.name, task?.state.next], ['child', ['inner_ask']]);
      const resumed = await host.run('nested', null, { thread_id: run.threadId, command: { resume: 'yes' } });
      assert.deepEqual(answersOf(resumed).slice(-3), ['inner: yes', 'inner end', 'after']);
    });

    it('resumes a subgraph that a synchronous node calls', async () => {
      const run = await host.run('nested_call', { topic: 'x' });
      assert.equal(run.status, 'interrupted');
      const resumed = await host.run('nested_call', null, {
        thread_id: run.threadId,
        command: { resume: 'yes' },
      });
      assert.deepEqual(answersOf(resumed), ['inner: yes', 'inner end']);
    });

    it('takes commands that go to nodes', async () => {
      assert.deepEqual(answersOf(await host.run('router', { topic: 'left' })), ['chose', 'went left']);
      const sent = await host.run('router', null, {
        command: { update: { topic: 'y' }, goto: [{ node: 'right', input: { topic: 'z' } }] },
      });
      assert.deepEqual(answersOf(sent), ['chose', 'went right', 'went right']);
    });

    it('streams events, tasks, checkpoints and debug as the platform does', async () => {
      const run = await host.run(
        'one_node',
        { value: 1 },
        { stream_modes: ['events', 'tasks', 'checkpoints', 'debug', 'values'] },
      );
      const names = new Set(run.events.map(([name]) => name));
      assert.deepEqual([...names].sort(), ['checkpoints', 'debug', 'events', 'tasks', 'values']);
      const [start] = dataOf(run, 'events') as { event: string; run_id: string }[];
      assert.deepEqual([start?.event, start?.run_id], ['on_chain_start', run.runId]);
      const checkpoint = dataOf(run, 'checkpoints').at(-1) as {
        values: object;
        checkpoint: { thread_id: string };
        parent_checkpoint: { checkpoint_id: string };
      };
      assert.deepEqual(checkpoint.values, { value: 2 });
      assert.equal(checkpoint.checkpoint.thread_id, run.threadId);
      assert.ok(checkpoint.parent_checkpoint.checkpoint_id);
    });

    it('ends with the error of user code and its location', async () => {
      host.logs.length = 0;
      const run = await host.run('throws', {});
      assert.equal(run.status, 'error');
      assert.deepEqual([run.error?.name, run.error?.message], ['RangeError', 'The node failed on purpose.']);
      assert.match(run.error?.location?.file ?? '', /troubles\.py$/);
      assert.equal(run.error?.location?.line, 26);
      assert.deepEqual(valuesOf(run), { log: 'first' });
      const entry = await eventually('the traceback in the log', () => host.logs[0]);
      assert.match(entry.message, /troubles\.py", line 26, in fail/);
      assert.equal(entry.run_id, run.runId);
      assert.ok((run.error?.stack?.split('\n').length ?? 0) < 8);
    });

    for (const graph of ['slow', 'slow_thread']) {
      it(`keeps the state that it has reached when it is canceled (${graph})`, async () => {
        const runId = randomUUID();
        const run = await host.run(
          graph,
          { ms: 60_000 },
          {
            run_id: runId,
            stream_modes: ['custom'],
            onEvent: () => void host.connection.request('run.cancel', { run_id: runId }),
          },
        );
        assert.equal(run.status, 'cancelled');
        assert.deepEqual(valuesOf(run), { ms: 60_000, log: 'prepared' });
        assert.deepEqual(run.state?.next, ['work']);
      }).timeout(10_000);
    }

    it('is canceled before the next node when a node handles the cancellation as its own', async () => {
      const [begun, go_on] = [randomUUID(), randomUUID()].map((name) => path.join(project.folder, name));
      const run_id = randomUUID();
      const running = host.run(
        'takes_for_its_own',
        { begun, go_on },
        { run_id, stream_modes: ['updates', 'values'] },
      );
      await eventually('the node to begin', () => existsSync(begun ?? '') || undefined);
      await host.connection.request('run.cancel', { run_id });
      assert.equal((await running).status, 'cancelled');
      assert.equal(existsSync(go_on ?? ''), false);
    }).timeout(20_000);

    it('is canceled when no reader waited for it to begin', async () => {
      const runIds = Array.from({ length: 10 }, () => randomUUID());
      const runs = runIds.map((run_id) => host.run('slow', { ms: 60_000 }, { run_id }));
      for (const run_id of runIds) void host.connection.request('run.cancel', { run_id });
      const ended = await Promise.all(runs);
      assert.deepEqual(
        ended.map(({ status }) => status),
        runIds.map(() => 'cancelled'),
      );
    }).timeout(10_000);

    it('waits for the server after every checkpoint with durability sync', async () => {
      host.asked.length = 0;
      await host.run('one_node', { value: 1 }, { durability: 'sync' });
      assert.ok(host.asked.filter((method) => method === 'checkpoints.sync').length >= 2);
    });

    const orders: [string, Parameters<RuntimeHost['run']>[2], number][] = [
      ['durability sync', { durability: 'sync' }, 10],
      ['durability async', { durability: 'async' }, 10],
      ['all steps in several modes', { stream_modes: ['values', 'updates', 'tasks'] }, 10],
      ['a breakpoint after a step', { interrupt_after: ['step5'] }, 5],
      ['a breakpoint before a step', { interrupt_before: ['step6'] }, 5],
    ];
    for (const [what, options, last] of orders) {
      it(`streams the updates of a step before it stores its checkpoint (${what})`, async () => {
        const thread_id = randomUUID();
        const kept: string[][] = [];
        await host.run(
          'ten_nodes',
          { value: 0 },
          {
            thread_id,
            stream_modes: ['updates'],
            ...options,
            onEvent: (name, data) => {
              if (name !== 'updates') return;
              const step = host.checkpoints.get(thread_id)?.metadata.step;
              kept.push([Object.keys(Object(data)).join(), String(step)]);
            },
          },
        );
        assert.deepEqual(
          kept.filter(([node]) => node !== '__interrupt__'),
          Array.from({ length: last }, (_, at) => [`step${at + 1}`, String(at)]),
        );
        // Nothing is held back permanently.
        assert.equal(host.checkpoints.get(thread_id)?.metadata.step, last);
      });
    }

    it('shows what a task of a node returns before the node ends', async () => {
      const goOn = path.join(project.folder, randomUUID());
      const shown: unknown[] = [];
      const run = await host.run(
        'tasks_in_node',
        { go_on: goOn },
        {
          stream_modes: ['updates'],
          onEvent: (_, data) => {
            shown.push(data);
            writeFileSync(goOn, '');
          },
        },
      );
      assert.equal(run.status, 'success');
      assert.deepEqual(shown[0], { part: 'first' });
    });

    it('shows what a step did while the next one holds up its loop', async () => {
      const goOn = path.join(project.folder, randomUUID());
      const run = await host.run(
        'held_up',
        { go_on: goOn },
        { stream_modes: ['updates'], onEvent: () => writeFileSync(goOn, '') },
      );
      assert.deepEqual(run.events, [
        ['updates', { one: { count: 1 } }],
        ['updates', { hold_up: { count: 2 } }],
      ]);
    }).timeout(15_000);

    it('sends what a task did together with its writes', async () => {
      const withWrites: boolean[] = [];
      const run_id = randomUUID();
      host.watchNotifications((together) => {
        const updates = together.filter(
          ({ method, params }) => method === 'run.events' && params.run_id === run_id,
        );
        if (updates.length > 0)
          withWrites.push(together.some(({ method }) => method === 'checkpoints.put_writes'));
      });
      await host.run('ten_nodes', { value: 0 }, { run_id, stream_modes: ['updates'] });
      // A log line in between may make the writer's thread split them.
      const together = withWrites.filter(Boolean).length;
      assert.ok(together > withWrites.length / 2, `${together} of ${withWrites.length}`);
    });

    it('shows the result of a task that fails', async () => {
      const run = await host.run('fails_later', {}, { stream_modes: ['tasks'] });
      assert.equal(run.status, 'error');
      const last = z.object({ name: z.string(), error: z.unknown() }).parse(run.events.at(-1)?.[1]);
      assert.equal(last.name, 'fail_later');
      assert.match(JSON.stringify(last.error), /It failed later\./);
    });

    it('streams nothing after its answer, even if one of its threads continues', async () => {
      const [begun = '', go_on = ''] = [randomUUID(), randomUUID()].map((name) =>
        path.join(project.folder, name),
      );
      const run_id = randomUUID();
      let isOver = false;
      let afterwards = 0;
      host.watchNotifications((together) => {
        if (isOver) afterwards += together.filter(({ params }) => params.run_id === run_id).length;
      });
      const run = await host.run('streams_on', { begun, go_on }, { run_id, stream_modes: ['custom'] });
      assert.equal(run.status, 'error');
      isOver = true;
      const countOf = () => Number(readFileSync(begun, 'utf8'));
      const atEnd = countOf();
      await eventually('the thread to go on', () => countOf() > atEnd + 5 || undefined);
      // Earlier events are on their way.
      await host.run('one_node', { value: 1 });
      writeFileSync(go_on, '');
      assert.equal(afterwards, 0);
    });

    it('lets LangGraph print its stream', async () => {
      const run = await host.run('printed', {}, { stream_modes: ['updates'] });
      assert.deepEqual(run.events, [['updates', { one: { count: 1 } }]]);
      await eventually('the print', () => host.output.includes("{'one': {'count': 1}}"));
    });

    it('streams the output of a graph class that changes its stream', async () => {
      const run = await host.run('louder', {}, { stream_modes: ['updates', 'custom'] });
      assert.deepEqual(run.events, [
        ['updates', { one: { count: 1 } }],
        ['custom', 'that was all'],
      ]);
    });

    it('streams on a LangGraph that keeps its events in another queue', async () => {
      const graphs = { another_queue: { path: './another_queue.py:graph' } };
      await using another = new RuntimeHost(pythonRuntime({ ...project, graphs }));
      await another.initialize();
      const run = await another.run('another_queue', {}, { stream_modes: ['updates'] });
      assert.deepEqual(run.events, [['updates', { one: { count: 1 } }]]);
    });

    it('leaves the stream of another graph to the node that reads it', async () => {
      const run = await host.run('streams_another', {}, { stream_modes: ['updates'] });
      assert.deepEqual(run.events, [['updates', { outer: { count: 1 } }]]);
    });

    for (const graph of ['keeps_values', 'keeps_values_with_a_saver']) {
      it(`keeps values that no text format supports across an interrupt (${graph})`, async () => {
        const paused = await host.run(graph, {});
        assert.equal(paused.status, 'interrupted', JSON.stringify(paused.error));
        assert.deepEqual(paused.state?.next, ['use']);
        const run = await host.run(graph, null, { thread_id: paused.threadId, command: { resume: 'yes' } });
        const { kept } = z.object({ kept: z.string() }).parse(JSON.parse(run.state?.values ?? ''));
        assert.equal(kept, `Frame [1, 2] [2j, range(0, 3), ${2n ** 70n}]`);
      });
    }

    it('fails with the key and the node of a value that cannot be kept', async () => {
      const run = await host.run('cannot_keep', {});
      assert.equal(run.status, 'error');
      assert.match(
        run.error?.message ?? '',
        /^'value', written by 'hold', holds a value that cannot be saved in a checkpoint: .*lock/,
      );
    });

    it('stores one checkpoint with durability exit', async () => {
      const run = await host.run('ten_nodes', { value: 0 }, { durability: 'exit' });
      assert.equal(host.checkpoints.list({ thread_id: run.threadId }).length, 1);
      assert.deepEqual(valuesOf(run), { value: 10 });
    });

    for (const [graph, text] of [
      ['factory', 'Hello, N'],
      ['async_factory', 'Hi, N'],
      ['runtime_factory', 'Hey, N'],
      ['async_manager', 'Managed, N'],
      ['manager', 'Kept, N'],
    ] as const) {
      it(`uses a graph made by a factory (${graph})`, async () => {
        assert.deepEqual(valuesOf(await host.run(graph, { name: 'N' })), { name: 'N', text });
      });
    }

    it('fails with the error of a factory that fails to close what it has opened', async () => {
      const run = await host.run('unclosed_manager', { name: 'N' });
      assert.deepEqual(
        [run.status, run.error?.name, run.error?.message, valuesOf(run).text],
        ['error', 'OSError', 'the session was already closed', 'Unclosed, N'],
      );
    });

    it('passes its configuration to the graph factory', async () => {
      const config = { configurable: { greeting: 'Good day' } };
      const run = await host.run('factory', { name: 'N' }, { config });
      assert.equal(valuesOf(run).text, 'Good day, N');
      const withContext = await host.run(
        'runtime_factory',
        { name: 'N' },
        { context: { greeting: 'Salut' } },
      );
      assert.equal(valuesOf(withContext).text, 'Salut, N');
    });

    it('imports modules of packages, by file and by name', async () => {
      for (const graph of ['in_package', 'by_module']) {
        assert.deepEqual(valuesOf(await host.run(graph, { name: 'N' })), { name: 'Hello, N' });
      }
    });

    it('accepts its context as a pydantic model or dataclass', async () => {
      const run = await host.run('with_pydantic', { question: 'q' }, { context: { model: 'm' } });
      assert.deepEqual(valuesOf(run), { question: 'q (m)', count: 1 });
      assert.deepEqual(valuesOf(await host.run('with_dataclass', { count: 1 })), { count: 3 });
    });

    it('works with the functional API', async () => {
      const run = await host.run('functional', { text: 'hi' });
      assert.equal(run.status, 'interrupted');
      const resumed = await host.run('functional', null, {
        thread_id: run.threadId,
        command: { resume: '!' },
      });
      assert.deepEqual(valuesOf(resumed), { loud: 'HI!' });
    });

    it('keeps its output apart from the protocol, with log levels', async () => {
      host.logs.length = 0;
      const run = await host.run('prints', {});
      assert.equal(run.status, 'success');
      await eventually('standard output', () => host.output.includes('not the protocol'));
      assert.match(host.output, /printed with print/);
      await eventually('standard error', () => host.errorOutput.includes('printed to stderr'));
      const logged = await eventually('the log', () => (host.logs.length >= 2 ? host.logs : undefined));
      assert.deepEqual(
        logged.map(({ level, run_id }) => [level, run_id]),
        [
          ['warning', run.runId],
          ['warning', run.runId],
        ],
      );
      assert.match(logged[0]?.message ?? '', /the\.user: logged as a warning/);
      assert.deepEqual(host.protocolErrors, []);
    });

    for (const [graph, name, said] of [
      [
        'sys_exits',
        'SystemExit',
        /called sys\.exit\('out of tokens'\), which stops only this run, not the process/,
      ],
      ['sys_exits_on_the_loop', 'SystemExit', /called sys\.exit\(3\)/],
      ['interrupts_keyboard', 'KeyboardInterrupt', /^KeyboardInterrupt$/],
    ] as const) {
      it(`fails alone when its node would exit the process (${graph})`, async () => {
        const other = host.run('slow', { ms: 300 });
        const run = await host.run(graph, {});
        assert.deepEqual([run.status, run.error?.name], ['error', name]);
        assert.match(run.error?.message ?? '', said);
        assert.match(run.error?.location?.file ?? '', /troubles\.py$/);
        assert.equal((await other).status, 'success');
      });
    }

    // The code is the same on each version, and 200 MB take a while.
    if (line === 'langgraph-1.2') {
      it('fails alone when it emits an event that is too large, and long log lines are cut', async () => {
        host.logs.length = 0;
        const other = host.run('slow', { ms: 300 });
        const run = await host.run('tells_too_much', {}, { stream_modes: ['custom'] });
        assert.deepEqual([run.status, run.error?.name, run.events], ['error', 'MessageTooLargeError', []]);
        assert.match(run.error?.message ?? '', /'custom' is larger than 200 MB .* Keep large data in files/);
        assert.equal((await other).status, 'success');
        const [logged] = await eventually('the log', () => (host.logs.length > 0 ? host.logs : undefined));
        assert.match(logged?.message ?? '', /^the\.user: x+ … \(\d+ more characters\)$/);
        assert.ok((logged?.message ?? '').length < 70_000);
      });
    }

    it('has the error of a factory in its trace, and where it was raised', async () => {
      const traces = await receiveTraces();
      const graphs = { made: { path: './troubles.py:made' } };
      // The runtime's SDK would otherwise compress its requests.
      const env = { ...tracedTo(traces.endpoint), LANGSMITH_DISABLE_RUN_COMPRESSION: 'true' };
      await using traced = new RuntimeHost(pythonRuntime({ ...project, graphs }, env));
      await traced.initialize();
      const run = await traced.run('made', { value: 1 });
      assert.equal(run.error?.message, 'There is no harbor.');
      assert.doesNotMatch(run.error?.stack ?? '', /langchain_core/);
      await traced.connection.request('shutdown', {});
      await traced.exited;
      traces.server.close();
      const sent = traces.received.join('\n');
      assert.ok(sent.includes(run.runId), traced.errorOutput);
      assert.match(sent, /"name":"made"/);
      assert.match(sent, /RuntimeError\('There is no harbor\.'\).*troubles\.py/);
    });

    it('survives errors outside runs', async () => {
      const run = await host.run('strays', {});
      assert.deepEqual([run.status, valuesOf(run)], ['success', { log: 'survived' }]);
    });
  });
}

function valuesOf(run: ObservedRun): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(run.state?.values ?? 'null'));
}

function answersOf(run: ObservedRun): string[] {
  return z.array(z.string()).parse(valuesOf(run).answers);
}

function dataOf(run: ObservedRun, name: string): unknown[] {
  return run.events.filter(([event]) => event === name).map(([, data]) => data);
}
