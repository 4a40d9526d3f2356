import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';

type Step =
  | { kind: 'run'; input?: unknown; resume?: unknown; from?: number; interruptAfter?: string[] }
  | { kind: 'update'; values: unknown; asNode?: string; from?: number };

interface Snapshot {
  values: unknown;
  next: string[];
  metadata: { step?: number; source?: string } | null;
  tasks: { name: string; interrupts: { value: unknown }[] }[];
  checkpoint_id: string;
}

/** Operations on one thread, by the names of the graph's export and of the graph. */
const scenarios: { does: string; exported: string; graph: string; steps: Step[] }[] = [
  {
    does: 'two runs, one after the other',
    exported: 'tenNodes',
    graph: 'ten_nodes',
    steps: [
      { kind: 'run', input: { value: 1 } },
      { kind: 'run', input: { value: 5 } },
    ],
  },
  {
    does: 'a run that goes on from an earlier checkpoint',
    exported: 'tenNodes',
    graph: 'ten_nodes',
    steps: [
      { kind: 'run', input: { value: 1 } },
      { kind: 'run', from: 4 },
    ],
  },
  {
    does: 'two branches that start from one checkpoint',
    exported: 'tenNodes',
    graph: 'ten_nodes',
    steps: [
      { kind: 'run', input: { value: 1 }, interruptAfter: ['step5'] },
      { kind: 'update', values: { value: 100 }, asNode: 'step5' },
      { kind: 'run' },
      { kind: 'update', values: { value: 1000 }, asNode: 'step5', from: -7 },
      { kind: 'run' },
    ],
  },
  {
    does: 'an interrupt that is answered',
    exported: 'approval',
    graph: 'approval',
    steps: [
      { kind: 'run', input: { topic: 'news' } },
      { kind: 'run', resume: 'yes' },
    ],
  },
  {
    does: 'an update while it waits, then an answer',
    exported: 'approval',
    graph: 'approval',
    steps: [
      { kind: 'run', input: { topic: 'news' } },
      { kind: 'update', values: { topic: 'olds' } },
      { kind: 'run' },
      { kind: 'run', resume: 'no' },
    ],
  },
  {
    does: 'an answered interrupt that is asked again from its checkpoint',
    exported: 'approval',
    graph: 'approval',
    steps: [
      { kind: 'run', input: { topic: 'news' } },
      { kind: 'run', resume: 'yes' },
      { kind: 'run', from: 2 },
      { kind: 'run', resume: 'again' },
    ],
  },
  {
    does: 'two interrupts at once, left unanswered',
    exported: 'twoQuestions',
    graph: 'two_questions',
    steps: [{ kind: 'run', input: { topic: 'x' } }],
  },
  {
    does: 'an interrupt in a subgraph that is answered',
    exported: 'nested',
    graph: 'nested',
    steps: [
      { kind: 'run', input: { topic: 'tea' } },
      { kind: 'run', resume: 'fine' },
    ],
  },
  {
    does: 'sends to one node',
    exported: 'fanOut',
    graph: 'fan_out',
    steps: [{ kind: 'run', input: { words: ['a', 'bb', 'ccc'] } }],
  },
];

for (const line of langgraphLines) {
  describe(`checkpoints on ${line}`, () => {
    let project: GraphProject;
    let host: RuntimeHost;
    let references: unknown[];

    before(async () => {
      project = await graphProject({ line });
      host = new RuntimeHost({ project });
      await host.initialize();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          path.join(project.folder, 'reference.ts'),
          JSON.stringify(scenarios.map(({ exported, steps }) => ({ graph: exported, steps }))),
        ],
        { cwd: project.folder },
      );
      references = JSON.parse(stdout);
    });
    after(async () => {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    });

    const history = async (graphId: string, threadId: string): Promise<Snapshot[]> => {
      const { states } = await host.connection.request('state.history', {
        graph_id: graphId,
        thread_id: threadId,
        config: {},
        context: {},
        tuples: host.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' }),
      });
      return states.map((state) => JSON.parse(state));
    };

    async function play(graphId: string, steps: Step[]) {
      const threadId = randomUUID();
      for (const step of steps) {
        const at = step.from === undefined ? undefined : (await history(graphId, threadId)).at(step.from);
        const checkpoint = at === undefined ? null : { checkpoint_id: at.checkpoint_id };
        if (step.kind === 'update') {
          await host.connection.request('state.update', {
            graph_id: graphId,
            thread_id: threadId,
            config: {},
            context: {},
            checkpoint,
            supersteps: [
              [{ values: step.values, ...(step.asNode === undefined ? {} : { as_node: step.asNode }) }],
            ],
          });
          continue;
        }
        await host.run(graphId, step.input ?? null, {
          thread_id: threadId,
          checkpoint,
          command: step.resume === undefined ? null : { resume: step.resume },
          ...(step.interruptAfter === undefined ? {} : { interrupt_after: step.interruptAfter }),
        });
      }
      const newest = (await host.state(graphId, threadId)) as unknown as Snapshot;
      return { newest: plain(newest), history: (await history(graphId, threadId)).map(plain) };
    }

    scenarios.forEach(({ does, graph, steps }, index) => {
      it(`equal those of LangGraph's own checkpointer after ${does}`, async () => {
        assert.deepEqual(await play(graph, steps), references[index]);
      });
    });

    it('store an unchanged value once', async () => {
      const run = await host.run('approval', { topic: 'x'.repeat(1000) });
      const tuples = host.checkpoints.list({ thread_id: run.threadId });
      const versions = tuples.map(({ channel_versions }) => channel_versions?.topic).filter(Boolean);
      assert.ok(versions.length > 1);
      assert.equal(new Set(versions).size, 1);
    });

    it('carry the run, the thread and the caller’s own metadata', async () => {
      const run = await host.run(
        'one_node',
        { value: 1 },
        { config: { metadata: { team: 'blue' } }, attempt: 2 },
      );
      const { metadata } = (await host.state('one_node', run.threadId)) as {
        metadata: Record<string, unknown>;
      };
      assert.equal(metadata.run_id, run.runId);
      assert.equal(metadata.thread_id, run.threadId);
      assert.equal(metadata.graph_id, 'one_node');
      assert.equal(metadata.run_attempt, 2);
      assert.equal(metadata.team, 'blue');
    });

    it('need a round trip each only with durability sync', async () => {
      const asked = host.asked.length;
      const run = await host.run('ten_nodes', { value: 0 }, { durability: 'sync' });
      assert.equal(host.checkpoints.list({ thread_id: run.threadId }).length, 12);
      assert.deepEqual(new Set(host.asked.slice(asked)), new Set(['checkpoints.sync']));
      assert.equal(host.asked.length - asked, 12);
    });

    it('are stored only at the end with durability exit', async () => {
      const run = await host.run('ten_nodes', { value: 0 }, { durability: 'exit' });
      assert.equal(host.checkpoints.list({ thread_id: run.threadId }).length, 1);
      assert.equal(run.state?.values, '{"value":10}');
      const stopped = await host.run('approval', { topic: 'x' }, { durability: 'exit' });
      assert.equal(stopped.status, 'interrupted');
      const resumed = await host.run('approval', null, {
        thread_id: stopped.threadId,
        command: { resume: 'ok' },
        durability: 'exit',
      });
      assert.deepEqual(JSON.parse(resumed.state?.values ?? '').answers, ['draft of x', 'ok', 'published']);
    });

    it('let another process continue from the last one, repeating only the unfinished step', async () => {
      const threadId = randomUUID();
      const runId = randomUUID();
      await using first = new RuntimeHost({ project });
      await first.initialize('slow');
      let begun = false;
      const lost = first.run(
        'slow',
        { ms: 60_000 },
        {
          thread_id: threadId,
          run_id: runId,
          stream_modes: ['custom'],
          onEvent: () => {
            begun = true;
            process.kill(first.pid ?? 0, 'SIGKILL');
          },
        },
      );
      await assert.rejects(lost);
      assert.ok(begun);
      await using second = new RuntimeHost({ project });
      await second.initialize('slow');
      for (const tuple of first.checkpoints.list({ thread_id: threadId }).reverse()) {
        const { pending_writes: writes, channel_versions = {}, ...put } = tuple;
        second.checkpoints.put({ ...put, channel_versions, run_id: runId });
        second.checkpoints.putWrites({ ...put, run_id: runId, writes });
      }
      const update = await second.connection.request('state.update', {
        graph_id: 'slow',
        thread_id: threadId,
        config: {},
        context: {},
        checkpoint: null,
        supersteps: [[{ values: { ms: 1 }, as_node: 'prepare' }]],
      });
      assert.deepEqual(update.state.next, ['work']);
      const run = await second.run('slow', null, {
        thread_id: threadId,
        run_id: runId,
        attempt: 2,
        stream_modes: ['updates'],
      });
      assert.deepEqual(run.events, [['updates', { work: { log: 'worked' } }]]);
      assert.equal(run.status, 'success');
    });
  });
}

function plain({ values, next, metadata, tasks }: Snapshot) {
  return {
    values,
    next,
    step: metadata?.step,
    source: metadata?.source,
    tasks: tasks.map(({ name, interrupts }) => ({ name, interrupts: interrupts.map(({ value }) => value) })),
  };
}

describe('the checkpoints of another thread', () => {
  it('are those of the server for a node that reads or updates them', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'peek.js': `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ other: Annotation(), found: Annotation() });
export const graph = new StateGraph(State)
  .addNode('peek', async ({ other }, config) => {
    if (other === undefined) return { found: 'nothing' };
    const place = { thread_id: other, checkpoint_ns: '', checkpoint_id: undefined };
    const at = { configurable: { ...config.configurable, ...place } };
    const { found } = (await graph.getState(at)).values;
    await graph.updateState(at, { found: 'updated' }, 'peek');
    return { found };
  })
  .addEdge('__start__', 'peek')
  .compile();
`,
        'langgraph.json': JSON.stringify({ graphs: { graph: './peek.js:graph' } }),
      },
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const other = await host.run('graph', { found: 'none' });
    const run = await host.run('graph', { other: other.threadId });
    assert.equal(run.status, 'success', run.error?.stack);
    assert.deepEqual(JSON.parse(run.state?.values ?? ''), { other: other.threadId, found: 'nothing' });
    assert.equal(run.state?.checkpoint_id, host.checkpoints.get(run.threadId)?.checkpoint_id);
    const updated = await host.state('graph', other.threadId);
    assert.deepEqual(updated.values, { found: 'updated' });
  });
});

describe('the history of a thread at a checkpoint', () => {
  it('is this checkpoint alone, however many newer ones there are', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'listed.js': `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ wanted: Annotation(), listed: Annotation() });
export const graph = new StateGraph(State)
  .addNode('list', async ({ wanted }, config) => {
    if (wanted === undefined) return {};
    const listed = [];
    const at = { configurable: { ...config.configurable, ...wanted, checkpoint_ns: '' } };
    for await (const { config } of graph.getStateHistory(at, { limit: 1 })) {
      listed.push(config.configurable.checkpoint_id);
    }
    return { listed };
  })
  .addEdge('__start__', 'list')
  .compile();
`,
        'langgraph.json': JSON.stringify({ graphs: { graph: './listed.js:graph' } }),
      },
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const { threadId: thread_id } = await host.run('graph', { listed: [] });
    const { checkpoint_id } = host.checkpoints.list({ thread_id }).at(-1) ?? {};
    const run = await host.run('graph', { wanted: { thread_id, checkpoint_id } });
    assert.equal(run.status, 'success', run.error?.stack);
    assert.deepEqual(JSON.parse(run.state?.values ?? '').listed, [checkpoint_id]);
  });
});

describe('the events of a task', () => {
  it('are sent together with what the task wrote, so that a lost server repeats neither or both', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'busy.js': `
import { Annotation, Command, Send, StateGraph } from '@langchain/langgraph';
const compute = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const graph = new StateGraph(State);
for (let step = 0; step < 20; step++) {
  graph.addNode('node' + step, () => {
    compute(step % 4);
    return { steps: [step] };
  });
  graph.addEdge(step === 0 ? '__start__' : 'node' + (step - 1), 'node' + step);
  for (const branch of ['a', 'b']) {
    graph.addNode(branch + step, () => ({ steps: [step] })).addEdge('node' + step, branch + step);
  }
}
export const busy = graph.compile();
`,
        'langgraph.json': JSON.stringify({ graphs: { busy: './busy.js:busy' } }),
      },
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const left: { writes: number; updates: number }[] = [];
    host.watchNotifications((together) => {
      const of = (method: string) => together.filter((sent) => sent.method === method);
      const events = of('run.events').flatMap(({ params }) =>
        z.array(z.tuple([z.string(), z.string()])).parse(params.events),
      );
      // The input is written by a task of its own, whose writes no update reports.
      const writes = of('checkpoints.put_writes').filter(
        ({ params }) => !JSON.stringify(params).includes('"task_path":"~__pregel_pull, __start__"'),
      ).length;
      const updates = events.filter(([name]) => name === 'updates').length;
      if (writes + updates > 0) left.push({ writes, updates });
    });
    const runs = await Promise.all(
      Array.from({ length: 4 }, () =>
        host.run('busy', { steps: [] }, { stream_modes: ['updates', 'values'] }),
      ),
    );
    const tasks = 20 * 3;
    for (const { status, error, events } of runs) {
      assert.equal(status, 'success', error?.stack);
      assert.equal(events.filter(([name]) => name === 'updates').length, tasks);
    }
    assert.equal(
      left.reduce((sum, { writes }) => sum + writes, 0),
      runs.length * tasks,
    );
    assert.deepEqual(
      left.filter(({ writes, updates }) => writes !== updates),
      [],
    );
  });
});
