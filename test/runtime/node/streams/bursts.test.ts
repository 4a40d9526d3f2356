import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';
import { eventually } from '../../../support/wait.ts';

for (const line of langgraphLines) {
  describe(`a run that streams more than the server reads on ${line}`, () => {
    it('waits between its steps, so that the runtime does not grow', async () => {
      const steps = 80;
      await using project = await graphProject({
        line,
        empty: true,
        files: {
          'talk.js': `
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ step: Annotation(), file: Annotation(), awaits: Annotation() });
export const talk = new StateGraph(State)
  .addNode('say', async ({ step, file, awaits }, { writer }) => {
    writeFileSync(file, String(step));
    for (let part = 0; part < 100; part++) writer({ step, filler: 'x'.repeat(10_000) });
    if (awaits) await sleep(1);
    return { step: step + 1 };
  })
  .addEdge('__start__', 'say')
  .addConditionalEdges('say', ({ step }) => (step < ${steps} ? 'say' : '__end__'))
  .compile();
`,
          'langgraph.json': JSON.stringify({ graphs: { talk: './talk.js:talk' } }),
        },
      });
      for (const awaits of [true, false]) {
        await using host = new RuntimeHost({ project });
        await host.initialize();
        const file = path.join(project.folder, `${awaits}.step`);
        writeFileSync(file, '0');
        const reached = () => Number(readFileSync(file, 'utf8'));
        const said: number[] = [];
        const readOnAfter = host.pauseReading();
        const run = host.run(
          'talk',
          { step: 0, file, awaits },
          {
            stream_modes: ['custom'],
            config: { recursion_limit: 2 * steps },
            onEvent: (_name, data) => said.push((data as { step: number }).step),
          },
        );
        await eventually('it has begun', () => reached() > 3);
        await sleepUntilSame(reached);
        assert.ok(reached() < steps / 2, `it has reached step ${reached()} with nothing read`);
        await readOnAfter(0);
        const { status, error } = await run;
        assert.equal(status, 'success', error?.stack);
        assert.deepEqual(
          said,
          Array.from({ length: 100 * steps }, (_, index) => Math.floor(index / 100)),
        );
      }
    });
  });
}

const Events = z.object({
  events: z.array(z.tuple([z.string(), z.string()])),
  at_once: z.boolean().optional(),
});

/** The content of a notification: the events that it has, one by one, or its method. */
function told({ method, params }: { readonly method: string; readonly params: object }): string[] {
  if (method !== 'run.events') return [method];
  const { events, at_once } = Events.parse(params);
  return events.map(([name]) => (at_once ? `${name} at once` : name));
}

/** Waits until a number has not changed for half a second. */
async function sleepUntilSame(read: () => number): Promise<void> {
  for (let before = Number.NaN; before !== read(); await sleep(500)) before = read();
}

describe('a run that emits faster than the server reads', () => {
  it('waits for the server, loses nothing, and does not stop other runs', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'flood.js': `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ count: Annotation() });
export const flood = new StateGraph(State)
  .addNode('emit', async ({ count }, config) => {
    for (let index = 0; index < count; index++) config.writer({ index, filler: 'x'.repeat(1000) });
    return {};
  })
  .addEdge('__start__', 'emit')
  .compile();
export const quick = new StateGraph(State).addNode('add', ({ count }) => ({ count: count + 1 })).addEdge('__start__', 'add').compile();
`,
        'langgraph.json': JSON.stringify({
          graphs: { flood: './flood.js:flood', quick: './flood.js:quick' },
        }),
      },
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const seen: number[] = [];
    const readOnAfter = host.pauseReading();
    const flood = host.run(
      'flood',
      { count: 20_000 },
      {
        stream_modes: ['custom'],
        onEvent: (_name, data) => seen.push((data as { index: number }).index),
      },
    );
    const quick = host.run('quick', { count: 1 });
    await readOnAfter(300);
    assert.equal((await quick).status, 'success');
    assert.equal((await flood).status, 'success');
    assert.deepEqual(
      seen,
      Array.from({ length: 20_000 }, (_, index) => index),
    );
  });
});

for (const line of langgraphLines) {
  describe(`the output of a node on ${line}`, () => {
    it('is sent before waiting checkpoints, but not before the events of LangGraph about earlier nodes', async () => {
      await using project = await graphProject({
        line,
        empty: true,
        files: {
          'saying.js': `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ said: Annotation() });
const say = (said) => (_state, { writer }) => {
  writer(said);
  return { said };
};
export const saying = new StateGraph(State)
  .addNode('first', say(1))
  .addNode('second', say(2))
  .addEdge('__start__', 'first')
  .addEdge('first', 'second')
  .compile();
`,
          'langgraph.json': JSON.stringify({ graphs: { saying: './saying.js:saying' } }),
        },
      });
      await using host = new RuntimeHost({ project });
      await host.initialize();
      const lines: string[][] = [];
      host.watchNotifications((together) => lines.push(together.flatMap(told)));
      const run = await host.run('saying', {}, { stream_modes: ['updates', 'custom'] });
      assert.equal(run.status, 'success');
      assert.deepEqual(
        run.events.map(([name]) => name),
        ['custom', 'updates', 'custom', 'updates'],
      );
      const sent = lines.flat();
      const [first] = lines.filter((line) => line.some((what) => what.startsWith('custom')));
      assert.deepEqual(first, ['custom at once'], sent.join());
      // One of the two is LangGraph's own first write, which belongs to no node.
      const writes = sent
        .slice(0, sent.indexOf('updates'))
        .filter((what) => what === 'checkpoints.put_writes');
      assert.equal(writes.length, 2, `what a node wrote is sent before it is shown: ${sent}`);
      assert.ok(!sent.includes('updates at once'), sent.join());
    });
  });
}

for (const line of langgraphLines) {
  describe(`a node that computes on ${line}`, () => {
    let project: GraphProject;
    before(async () => {
      project = await graphProject({
        line,
        empty: true,
        files: {
          'computing.js': `
import { existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ file: Annotation(), seen: Annotation() });
export const computing = new StateGraph(State)
  .addNode('compute', ({ file }, { writer }) => {
    writer({ step: 1 });
    writer({ step: 2 });
    const until = Date.now() + 20_000;
    while (!existsSync(file) && Date.now() < until);
    return { seen: existsSync(file) };
  })
  .addEdge('__start__', 'compute')
  .compile();
export const held = new StateGraph(State)
  .addNode('compute', ({ file }) => {
    const until = Date.now() + 20_000;
    while (!existsSync(file) && Date.now() < until);
    return { seen: existsSync(file) };
  })
  .addEdge('__start__', 'compute')
  .compile();
export const outer = new StateGraph(State).addNode('inner', computing).addEdge('__start__', 'inner').compile();
`,
          'langgraph.json': JSON.stringify({
            graphs: {
              computing: './computing.js:computing',
              outer: './computing.js:outer',
              held: './computing.js:held',
            },
          }),
        },
      });
    });
    after(() => project?.[Symbol.asyncDispose]());

    it('sends what it emitted before it ends, even from a subgraph', async () => {
      await using host = new RuntimeHost({ project });
      await host.initialize();
      for (const graph of ['computing', 'outer']) {
        const file = path.join(project.folder, `${graph}.seen`);
        const run = await host.run(
          graph,
          { file },
          {
            stream_modes: ['values', 'custom'],
            stream_subgraphs: true,
            onEvent: (_name, data) => {
              if ((data as { step?: number }).step === 2) writeFileSync(file, '');
            },
          },
        );
        assert.equal(JSON.parse(run.state?.values ?? '').seen, true);
        const custom = run.events.filter(([name]) => name.startsWith('custom'));
        assert.deepEqual(
          custom.map(([, data]) => data),
          [{ step: 1 }, { step: 2 }],
        );
      }
    });

    it('has reported that it began before a debugger could hold it', async () => {
      await using host = new RuntimeHost({ project });
      await host.initialize();
      await host.connection.request('debugger.open', {});
      const file = path.join(project.folder, 'held.seen');
      const run = await host.run(
        'held',
        { file },
        {
          stream_modes: ['tasks'],
          onEvent: (_name, data) => {
            if ((data as { name?: string }).name === 'compute') writeFileSync(file, '');
          },
        },
      );
      assert.equal(JSON.parse(run.state?.values ?? '').seen, true);
    });
  });
}

const graphs = ['invoking', 'streaming', 'watched', 'bound', 'nested'] as const;
const failures = ['failing', 'transformed', 'endless'] as const;
const talkers = `
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Annotation, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const tokens = Array.from({ length: 200 }, (_, index) => 'token' + index + ' ');

class Burst extends BaseChatModel {
  _llmType() { return 'burst'; }
  async _generate() { throw new Error('It streams.'); }
  async *_streamResponseChunks(_messages, _options, runManager) {
    for (const text of tokens) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      yield chunk;
      void runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const model = new Burst({});
const slow = new Burst({ callbacks: [{ handleLLMNewToken: () => sleep(50), handleLLMEnd: () => sleep(60_000, undefined, { ref: false }) }] });
const graph = (node) => new StateGraph(MessagesAnnotation).addNode('answer', node).addEdge('__start__', 'answer').compile();
const answer = async ({ messages }) => ({ messages: [await model.invoke(messages)] });

export const invoking = graph(answer);
export const streaming = graph(async ({ messages }) => {
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole === undefined ? chunk : whole.concat(chunk);
  return { messages: [whole] };
});
export const watched = graph(async ({ messages }) => ({ messages: [await slow.invoke(messages)] }));
export const failing = new StateGraph(MessagesAnnotation)
  .addNode('fall', async (state, { writer }) => {
    const { messages } = await answer(state);
    for (let index = 0; index < 2_000; index++) writer({ index });
    throw new RangeError(messages[0].content);
  })
  .addEdge('__start__', 'fall')
  .compile();
const write = (_state, { writer }) => {
  for (let index = 0; index < 2_000; index++) writer({ index });
  return {};
};
export const transformed = new StateGraph(MessagesAnnotation)
  .addNode('fall', (...given) => {
    write(...given);
    throw new RangeError('It falls.');
  })
  .addEdge('__start__', 'fall')
  .compile({ transformers: [() => ({ init: () => ({}), process: () => true })] });
export const endless = new StateGraph(MessagesAnnotation)
  .addNode('circle', write)
  .addEdge('__start__', 'circle')
  .addEdge('circle', 'circle')
  .compile();
export const bound = graph(answer).withConfig({ callbacks: [{ handleLLMNewToken: () => sleep(1) }] });
export const nested = new StateGraph(MessagesAnnotation)
  .addNode('inner', graph(answer))
  .addEdge('__start__', 'inner')
  .compile();
`;

describe('a model that never pauses', () => {
  for (const line of langgraphLines) {
    describe(`on ${line}`, () => {
      let project: GraphProject;
      let host: RuntimeHost;

      before(async () => {
        project = await graphProject({
          line,
          empty: true,
          files: {
            'talkers.js': talkers,
            'langgraph.json': JSON.stringify({
              graphs: Object.fromEntries(
                [...graphs, ...failures].map((name) => [name, `./talkers.js:${name}`]),
              ),
            }),
          },
        });
        host = new RuntimeHost({ project });
        await host.initialize();
      });
      after(async () => {
        await host[Symbol.asyncDispose]();
        await project[Symbol.asyncDispose]();
      });

      for (const graph of graphs) {
        it(`streams all its tokens before the state that contains them: ${graph}`, async () => {
          const runs = await Promise.all(
            Array.from({ length: 4 }, () =>
              host.run(
                graph,
                { messages: [{ role: 'user', content: 'Talk.' }] },
                { stream_modes: ['messages-tuple', 'messages', 'values'], stream_subgraphs: true },
              ),
            ),
          );
          for (const run of runs) {
            assert.equal(run.status, 'success', run.error?.stack);
            const { events } = run;
            const said = events.filter(([name]) => name.startsWith('messages|') || name === 'messages');
            const text = said.map(([, data]) => (data as [{ content: string }])[0].content).join('');
            assert.equal(text, Array.from({ length: 200 }, (_, index) => `token${index} `).join(''));
            const has = ([name, data]: [string, unknown], ...names: string[]) =>
              names.includes(name) && JSON.stringify(data).includes(text);
            const whole = events.findIndex((event) => has(event, 'values', 'messages/complete'));
            assert.ok(events.some((event) => has(event, 'values')));
            assert.ok(events.some((event) => has(event, 'messages/complete')));
            assert.ok(
              events.findIndex((event) => has(event, 'values')) <
                events.findIndex((event) => has(event, 'messages/complete')),
              'the state comes first',
            );
            const late = events.slice(whole).filter(([name]) => /^messages(?!\/complete)/.test(name));
            assert.deepEqual(late, []);
          }
        });
      }

      it('streams all its output before it fails', async () => {
        const runs = await Promise.all(
          ([[], [], ['events'], ['events']] as const).map((more) =>
            host.run(
              'failing',
              { messages: [{ role: 'user', content: 'Talk.' }] },
              { stream_modes: ['messages-tuple', 'custom', 'tasks', ...more] },
            ),
          ),
        );
        for (const { status, error, events } of runs) {
          assert.deepEqual([status, error?.name], ['error', 'RangeError']);
          const dataOf = (of: string) => events.flatMap(([name, data]) => (name === of ? [data] : []));
          const said = dataOf('messages').map((data) => (data as [{ content: string }])[0].content);
          assert.equal(said.join(''), error?.message);
          assert.deepEqual(
            dataOf('custom'),
            Array.from({ length: 2_000 }, (_, index) => ({ index })),
          );
          assert.equal(dataOf('tasks').length, 2, 'the task begins and ends');
        }
      });

      // Older versions have no transformers.
      if (line === 'langgraph-1.7') {
        it('streams all its output before it fails, with transformers of its stream', async () => {
          const { error, events } = await host.run(
            'transformed',
            { messages: [] },
            { stream_modes: ['custom', 'extensions'], stream_subgraphs: true },
          );
          assert.equal(error?.name, 'RangeError');
          assert.deepEqual(
            events.flatMap(([name, data]) => (name === 'custom' ? [data] : [])),
            Array.from({ length: 2_000 }, (_, index) => ({ index })),
          );
        });
      }

      it('streams all its output before it reaches the recursion limit', async () => {
        const { error, events } = await host.run(
          'endless',
          { messages: [] },
          { stream_modes: ['custom', 'updates'], config: { recursion_limit: 3 } },
        );
        assert.equal(error?.name, 'GraphRecursionError');
        const steps = 3;
        assert.deepEqual(
          events.flatMap(([name, data]) => (name === 'custom' ? [(data as { index: number }).index] : [])),
          Array.from({ length: steps * 2_000 }, (_, index) => index % 2_000),
        );
        assert.equal(events.filter(([name]) => name === 'updates').length, steps);
      });
    });
  }
});
