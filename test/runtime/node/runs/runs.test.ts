import assert from 'node:assert/strict';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { messageIds } from '../../../support/runtime/message-ids.ts';
import { type ObservedRun, RuntimeHost } from '../../../support/runtime/runtime-host.ts';

const named = (run: ObservedRun, name: string) =>
  run.events.filter(([event]) => event === name).map(([, data]) => data);
const names = (run: ObservedRun) => [...new Set(run.events.map(([name]) => name))];

for (const line of langgraphLines) {
  describe(`a run on ${line}`, () => {
    let project: GraphProject;
    let host: RuntimeHost;

    before(async () => {
      project = await graphProject({ line });
      project.graphs.unnamed = { path: './chat.ts:unnamed' };
      host = new RuntimeHost({ project });
      await host.initialize();
    });
    after(async () => {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    });

    it('streams values and updates, and ends with the state it reached', async () => {
      const run = await host.run('one_node', { value: 1 }, { stream_modes: ['values', 'updates'] });
      assert.equal(run.status, 'success');
      assert.deepEqual(run.events, [
        ['values', { value: 1 }],
        ['updates', { add: { value: 2 } }],
        ['values', { value: 2 }],
      ]);
      assert.deepEqual(run.state, {
        values: '{"value":2}',
        next: [],
        interrupts: '{}',
        checkpoint_id: host.checkpoints.get(run.threadId)?.checkpoint_id,
      });
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

    it('streams only the requested modes', async () => {
      assert.deepEqual(
        (await host.run('custom_events', { count: 3 }, { stream_modes: ['updates'] })).events,
        [['updates', { emit: { done: true } }]],
      );
    });

    it('starts without a request to the server', async () => {
      const asked = host.asked.length;
      await host.run('one_node', { value: 1 });
      await host.run('nested', { topic: 'peace' });
      assert.deepEqual(host.asked.slice(asked), []);
    });

    it('streams all custom events in order', async () => {
      const run = await host.run('custom_events', { count: 2000 }, { stream_modes: ['custom'] });
      assert.deepEqual(
        named(run, 'custom'),
        Array.from({ length: 2000 }, (_, index) => ({ index })),
      );
    });

    it('delivers an event immediately, not when the node ends', async () => {
      const run = await host.run(
        'slow',
        { ms: 10_000 },
        {
          run_id: 'to-cancel',
          stream_modes: ['custom'],
          onEvent: () => void host.connection.request('run.cancel', { run_id: 'to-cancel' }),
        },
      );
      assert.equal(run.events.length, 1);
      assert.equal(run.status, 'cancelled', 'the custom event came at the end');
    });

    it('streams tokens with their metadata, messages as plain dictionaries', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ role: 'user', content: 'weather in Oslo' }] },
        { stream_modes: ['messages-tuple'] },
      );
      assert.equal(run.status, 'success', run.error?.stack);
      assert.deepEqual(names(run), ['messages']);
      const tuples = named(run, 'messages') as [Record<string, unknown>, Record<string, unknown>][];
      const texts = tuples.filter(([message]) => message.type === 'ai').map(([message]) => message.content);
      assert.deepEqual(texts.filter(Boolean), ['You ', 'said: ', 'It ', 'is ', 'sunny ', 'in ', 'Oslo.']);
      const [first] = tuples;
      assert.deepEqual(first?.[0].tool_call_chunks, [
        { index: 0, type: 'tool_call_chunk', name: 'get_weather', id: 'call_1', args: '' },
      ]);
      assert.equal(first?.[1].langgraph_node, 'model');
      assert.ok(tuples.some(([message]) => message.type === 'tool' && message.tool_call_id === 'call_1'));
      assert.ok(!JSON.stringify(run.events).includes('"constructor"'));
    });

    it('streams messages as they grow, then whole', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ role: 'user', content: 'hello there' }] },
        { stream_modes: ['messages'] },
      );
      const partial = named(run, 'messages/partial') as [{ content: string; id: string }][];
      assert.deepEqual(
        partial.map(([message]) => message.content),
        ['You ', 'You said: ', 'You said: hello ', 'You said: hello there'],
      );
      const id = partial[0]?.[0].id ?? '';
      const [metadata] = named(run, 'messages/metadata') as Record<
        string,
        { metadata: { langgraph_node: string } }
      >[];
      assert.equal(metadata?.[id]?.metadata.langgraph_node, 'model');
      const complete = (
        named(run, 'messages/complete') as { type: string; content: string; id: string }[][]
      ).flat();
      assert.deepEqual(
        complete.map(({ type, content }) => [type, content]),
        [
          ['human', 'hello there'],
          ['ai', 'You said: hello there'],
        ],
      );
      assert.equal(complete[1]?.id, id);
      assert.deepEqual(
        names(run).filter((name) => !name.startsWith('messages/')),
        [],
      );
    });

    it('streams tasks, checkpoints and debug, without internals', async () => {
      const run = await host.run(
        'ten_nodes',
        { value: 0 },
        { stream_modes: ['tasks', 'checkpoints', 'debug'] },
      );
      const tasks = named(run, 'tasks') as Record<string, unknown>[];
      assert.equal(tasks.length, 20);
      assert.equal(tasks[0]?.name, 'step1');
      assert.deepEqual(tasks[0]?.input, { value: 0 });
      assert.ok('result' in (tasks[1] ?? {}));
      const checkpoints = named(run, 'checkpoints') as Record<string, Record<string, unknown>>[];
      assert.equal(checkpoints.length, 12);
      const last = checkpoints.at(-1);
      assert.deepEqual(last?.values, { value: 10 });
      assert.deepEqual(last?.next, []);
      assert.equal(last?.checkpoint?.thread_id, run.threadId);
      assert.equal(last?.checkpoint?.checkpoint_id, run.state?.checkpoint_id);
      assert.equal(last?.parent_checkpoint?.checkpoint_id, checkpoints.at(-2)?.checkpoint?.checkpoint_id);
      const debug = named(run, 'debug') as { type: string; payload: Record<string, unknown> }[];
      assert.deepEqual([...new Set(debug.map(({ type }) => type))].sort(), [
        'checkpoint',
        'task',
        'task_result',
      ]);
      assert.ok(!/__pregel_(?!pull|push)|callbacks/.test(JSON.stringify(run.events)));
    });

    it('streams tool events where LangGraph supports them', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ role: 'user', content: 'weather in Oslo' }] },
        { stream_modes: ['tools'] },
      );
      assert.equal(run.status, 'success');
      const told = (named(run, 'tools') as { event: string; name: string }[]).map(({ event, name }) => [
        event,
        name,
      ]);
      const expected = [
        ['on_tool_start', 'get_weather'],
        ['on_tool_end', 'get_weather'],
      ];
      assert.deepEqual(told, line === 'langgraph-1.1' ? [] : expected);
    });

    it('streams nothing without modes', async () => {
      const run = await host.run('one_node', { value: 1 }, { stream_modes: [] });
      assert.deepEqual([run.status, run.events, run.state?.values], ['success', [], '{"value":2}']);
    });

    it('streams LangChain events', async () => {
      const run = await host.run(
        'agent',
        { messages: [{ role: 'user', content: 'hi' }] },
        { stream_modes: ['events', 'values'] },
      );
      const events = named(run, 'events') as { event: string; name: string; run_id: string }[];
      assert.ok(events.some(({ event }) => event === 'on_chat_model_stream'));
      assert.equal(events[0]?.event, 'on_chain_start');
      assert.equal(events[0]?.run_id, run.runId);
      assert.equal(events[0]?.name, 'Weather agent');
      assert.equal(named(run, 'values').length, 2);
    });

    it('adds the namespace of subgraphs when requested', async () => {
      const run = await host.run(
        'nested',
        { topic: 'tea' },
        { stream_modes: ['updates'], stream_subgraphs: true },
      );
      assert.equal(run.status, 'interrupted');
      const inner = names(run).find((name) => name.startsWith('updates|'));
      assert.match(inner ?? '', /^updates\|child:[0-9a-f-]{36}$/);
    });

    it('stops at an interrupt and resumes', async () => {
      const stopped = await host.run('approval', { topic: 'news' }, { stream_modes: ['values', 'updates'] });
      assert.equal(stopped.status, 'interrupted');
      assert.deepEqual(stopped.state?.next, ['ask']);
      const [interrupts] = Object.values(JSON.parse(stopped.state?.interrupts ?? '{}')) as {
        value: unknown;
      }[][];
      assert.deepEqual(interrupts?.[0]?.value, { question: 'Publish news?' });
      const last = stopped.events.filter(([name]) => name === 'values').at(-1)?.[1] as Record<
        string,
        unknown
      >;
      assert.deepEqual(last.answers, ['draft of news']);
      assert.deepEqual(last.__interrupt__, interrupts);
      assert.deepEqual(named(stopped, 'updates').at(-1), { __interrupt__: interrupts });

      const resumed = await host.run('approval', null, {
        thread_id: stopped.threadId,
        command: { resume: 'yes' },
      });
      assert.equal(resumed.status, 'success', resumed.error?.stack);
      assert.deepEqual(JSON.parse(resumed.state?.values ?? ''), {
        topic: 'news',
        answers: ['draft of news', 'yes', 'published'],
      });
    });

    it('answers one of two interrupts by its ID, keeping results of other tasks', async () => {
      const stopped = await host.run('two_questions', { topic: 'x' });
      assert.deepEqual(stopped.state?.next.toSorted(), ['left', 'right']);
      const interrupts = Object.values(JSON.parse(stopped.state?.interrupts ?? '{}')).flat() as {
        id: string;
        value: string;
      }[];
      const left = interrupts.find(({ value }) => value === 'left?');
      const half = await host.run('two_questions', null, {
        thread_id: stopped.threadId,
        command: { resume: { [left?.id ?? '']: 'L' } },
      });
      assert.equal(half.status, 'interrupted');
      assert.deepEqual(half.state?.next, ['right']);
      const whole = await host.run('two_questions', null, {
        thread_id: stopped.threadId,
        command: { resume: 'R' },
      });
      assert.equal(whole.status, 'success', whole.error?.stack);
      const { answers } = JSON.parse(whole.state?.values ?? '') as { answers: string[] };
      assert.deepEqual(answers.toSorted(), ['left: L', 'middle', 'right: R']);
    });

    it('refuses a strict resume of an unknown interrupt', async () => {
      const stopped = await host.run('approval', { topic: 'x' });
      const refused = await host.run('approval', null, {
        thread_id: stopped.threadId,
        command: { resume: { '0123456789abcdef0123456789abcdef': 'yes' } },
        strict_resume: true,
      });
      assert.equal(refused.status, line === 'langgraph-1.7' ? 'error' : 'interrupted');
      if (line === 'langgraph-1.7') assert.equal(refused.error?.name, 'UnknownInterruptError');
    });

    it('resumes an interrupt inside a subgraph', async () => {
      const stopped = await host.run('nested', { topic: 'tea' });
      assert.equal(stopped.status, 'interrupted');
      const resumed = await host.run('nested', null, {
        thread_id: stopped.threadId,
        command: { resume: 'fine' },
      });
      assert.equal(resumed.status, 'success', resumed.error?.stack);
      assert.deepEqual(JSON.parse(resumed.state?.values ?? '').answers, [
        'before',
        'before',
        'inner: fine',
        'inner end',
        'after',
      ]);
    });

    it('stops before and after given nodes', async () => {
      const stopped = await host.run('approval', { topic: 'x' }, { interrupt_before: ['ask'] });
      assert.equal(stopped.status, 'interrupted');
      assert.deepEqual(stopped.state?.next, ['ask']);
      const after = await host.run('ten_nodes', { value: 0 }, { interrupt_after: '*' });
      assert.deepEqual([after.status, after.state?.next], ['interrupted', ['step2']]);
      const on = await host.run('ten_nodes', null, { thread_id: after.threadId });
      assert.deepEqual([on.status, on.state?.values], ['success', '{"value":10}']);
    });

    it('follows commands: an update with goto, and Send', async () => {
      const run = await host.run('router', null, {
        command: { update: { topic: 'given' }, goto: 'left' },
      });
      assert.equal(run.status, 'success', run.error?.stack);
      assert.deepEqual(JSON.parse(run.state?.values ?? '').answers, ['went left']);
      const sent = await host.run('fan_out', null, {
        command: { goto: [{ node: 'measure', input: { words: ['four', 'three'] } }] },
      });
      assert.deepEqual(JSON.parse(sent.state?.values ?? '').lengths, [4, 5]);
    });

    it('follows commands of nodes, sends, the store and the functional API', async () => {
      const routed = await host.run('router', { topic: 'left' });
      assert.deepEqual(JSON.parse(routed.state?.values ?? '').answers, ['chose', 'went left']);
      const measured = await host.run('fan_out', { words: ['a', 'bb', 'ccc'] });
      assert.deepEqual(JSON.parse(measured.state?.values ?? '').lengths, [1, 2, 3]);
      await host.run('memory', { user: 'ada', fact: 'tea' });
      const remembered = await host.run('memory', { user: 'ada', fact: 'jam' });
      assert.equal(remembered.status, 'success', remembered.error?.stack);
      assert.deepEqual(JSON.parse(remembered.state?.values ?? '').known, ['jam', 'tea']);
      const asked = await host.run('functional', { text: 'hey' });
      const answered = await host.run('functional', null, {
        thread_id: asked.threadId,
        command: { resume: '!' },
      });
      assert.deepEqual([answered.status, answered.state?.values], ['success', '{"loud":"HEY!"}']);
    });

    it('gives config and context to factories and nodes', async () => {
      const config = { configurable: { greeting: 'Ahoy' } };
      const made = await host.run('factory', { name: 'Ada' }, { config });
      assert.equal(JSON.parse(made.state?.values ?? '').text, 'Ahoy, Ada');
      const later = await host.run('async_factory', { name: 'Bob' });
      assert.equal(JSON.parse(later.state?.values ?? '').text, 'Hi, Bob');
      const context = await host.run('with_zod', { question: 'q' }, { context: { model: 'small' } });
      assert.equal(JSON.parse(context.state?.values ?? '').question, 'q (small)');
      const configured = await host.run(
        'with_zod',
        { question: 'q' },
        { config: { configurable: { model: 'old' } } },
      );
      assert.equal(JSON.parse(configured.state?.values ?? '').question, 'q (old)');
      const missing = await host.run('with_zod', { question: 'q' });
      assert.equal(missing.status, 'error');
      assert.match(missing.error?.message ?? '', /model/);
    });

    it('respects the recursion limit', async () => {
      const run = await host.run('ten_nodes', { value: 0 }, { config: { recursion_limit: 3 } });
      assert.equal(run.status, 'error');
      assert.equal(run.error?.name, 'GraphRecursionError');
    });

    it('converts values that JSON does not support', async () => {
      const run = await host.run('exotic', { things: {} });
      const { things } = JSON.parse(run.state?.values ?? '');
      assert.deepEqual(things, {
        map: { a: 1 },
        set: [1, 2],
        bytes: 'AQID',
        error: { error: 'RangeError', message: 'too far' },
        date: '1970-01-01T00:00:00.000Z',
        pattern: '/a+/i',
        circular: { name: 'loop', self: '[Circular]' },
      });
    });

    it('runs concurrently with others', async () => {
      const runs = await Promise.all(
        Array.from({ length: 20 }, (_, value) => host.run('ten_nodes', { value })),
      );
      assert.deepEqual(
        runs.map(({ state }) => JSON.parse(state?.values ?? '').value),
        Array.from({ length: 20 }, (_, value) => value + 10),
      );
    });
  });
}
