import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type PythonProject,
  pythonLines,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../../support/python-projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { STATE_FIELDS } from '../../support/runtime/state-fields.ts';
import { runsLoneNodes } from '../lone-nodes.ts';
import { tellsWhatWasWritten } from '../written-states.ts';

for (const line of pythonLines) {
  describe(`the state of a thread of a Python graph on ${line}`, () => {
    let project: PythonProject;
    let host: RuntimeHost;

    before(async function () {
      const python = await requirePython(this, line);
      project = await pythonProject({ python });
      for (const name of ['spread', 'handing', 'typed'])
        project.graphs[name] = { path: `./routes.py:${name}` };
      host = new RuntimeHost(pythonRuntime(project));
      await host.initialize();
    });
    after(async () => {
      await host?.[Symbol.asyncDispose]();
      await project?.[Symbol.asyncDispose]();
    });

    it('has the format of the platform', async () => {
      const { threadId } = await host.run('approval', { topic: 'x' });
      const state = await host.state('approval', threadId);
      assert.deepEqual(Object.keys(state).sort(), STATE_FIELDS);
      assert.deepEqual([state.values, state.next], [{ topic: 'x', answers: ['draft of x'] }, ['ask']]);
      const [task] = state.tasks as { name: string; interrupts: { value: object }[]; path: string[] }[];
      assert.deepEqual(task?.interrupts[0]?.value, { question: 'Publish x?' });
      const { graph_id, checkpoint_id } = state.metadata as Record<string, unknown>;
      assert.deepEqual([graph_id, checkpoint_id], ['approval', state.checkpoint_id]);
    });

    it('is listed in the history of the thread, newest first', async () => {
      const { threadId } = await host.run('approval', { topic: 'x' });
      await host.run('approval', null, { thread_id: threadId, command: { resume: 'yes' } });
      const { states } = await host.connection.request('state.history', {
        graph_id: 'approval',
        thread_id: threadId,
        config: {},
        context: {},
        tuples: host.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' }),
      });
      const steps = states.map((text) => JSON.parse(text));
      assert.deepEqual(
        steps.map(({ next }) => next),
        [[], ['publish'], ['ask'], ['draft'], ['__start__']],
      );
      assert.deepEqual(steps[0].values.answers, ['draft of x', 'yes', 'published']);
      assert.equal(steps[0].parent_checkpoint_id, steps[1].checkpoint_id);
    });

    it('is the same in each history, unless a factory makes the graph', async () => {
      for (const [graph_id, input, expected] of [
        ['approval', { topic: 'x' }, true],
        ['factory', { name: 'N' }, false],
      ] as const) {
        const { threadId } = await host.run(graph_id, input);
        const tuples = host.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' });
        const params = { graph_id, thread_id: threadId, config: {}, context: {}, tuples, parents: [] };
        const { states, repeatable } = await host.connection.request('state.history', params);
        assert.equal(states.length, tuples.length);
        assert.equal(repeatable, expected, graph_id);
      }
    });

    it('can be updated as a node, and continued from there', async () => {
      const { threadId } = await host.run('approval', { topic: 'x' });
      const result = await host.connection.request('state.update', {
        graph_id: 'approval',
        thread_id: threadId,
        config: {},
        context: {},
        checkpoint: null,
        supersteps: [[{ values: { answers: ['by hand'] }, as_node: 'ask' }]],
      });
      assert.deepEqual(result.state.next, ['publish']);
      assert.equal(result.checkpoint.checkpoint_id, result.state.checkpoint_id);
      const run = await host.run('approval', null, { thread_id: threadId });
      assert.deepEqual(JSON.parse(run.state?.values ?? '').answers, ['draft of x', 'by hand', 'published']);
    });

    it('keeps the metadata of the thread’s config in an update', async () => {
      const { threadId } = await host.run('approval', { topic: 'x' });
      await host.connection.request('state.update', {
        graph_id: 'approval',
        thread_id: threadId,
        config: { metadata: { team: 'blue' } },
        context: {},
        checkpoint: null,
        supersteps: [[{ values: { answers: ['by hand'] }, as_node: 'ask' }]],
      });
      const { team, graph_id } = host.checkpoints.get(threadId)?.metadata ?? {};
      assert.deepEqual([team, graph_id], ['blue', 'approval']);
    });

    it('can be updated by several nodes in several steps', async () => {
      const { threadId } = await host.run('two_questions', { topic: 'x' });
      const result = await host.connection.request('state.update', {
        graph_id: 'two_questions',
        thread_id: threadId,
        config: {},
        context: {},
        checkpoint: null,
        supersteps: [
          [{ values: { answers: ['a'] }, as_node: 'left' }],
          [{ values: { answers: ['b'] }, as_node: 'right' }],
        ],
      });
      assert.deepEqual(JSON.parse(result.state.values).answers.slice(-2), ['a', 'b']);
    });

    it('branches from an earlier checkpoint without mixing values', async () => {
      const { threadId } = await host.run('ten_nodes', { value: 0 });
      const early = host.checkpoints.list({ thread_id: threadId })[8];
      assert.ok(early);
      const branch = { thread_id: threadId, checkpoint: { checkpoint_id: early.checkpoint_id } };
      const fork = await host.run('ten_nodes', null, branch);
      assert.equal(JSON.parse(fork.state?.values ?? '').value, 10);
      const update = await host.connection.request('state.update', {
        graph_id: 'ten_nodes',
        thread_id: threadId,
        config: {},
        context: {},
        checkpoint: { checkpoint_id: early.checkpoint_id },
        supersteps: [[{ values: { value: 100 }, as_node: 'step2' }]],
      });
      const other = await host.run('ten_nodes', null, {
        thread_id: threadId,
        checkpoint: { checkpoint_id: update.checkpoint.checkpoint_id },
      });
      assert.equal(JSON.parse(other.state?.values ?? '').value, 108);
    });

    tellsWhatWasWritten(() => host);
    runsLoneNodes(() => host);

    it('gives a node an edited input as the class that it takes', async () => {
      const { threadId } = await host.run('typed', { inner: { name: 'Ada' } });
      const start_from = host.checkpoints.list({ thread_id: threadId })[1] ?? null;
      const params = { graph_id: 'typed', thread_id: threadId, config: {}, context: {} };
      const node = { ...params, node: 'greet', checkpoint_ns: '', start_from };
      const run = async (input: string | null) =>
        (await host.connection.request('node.run', { run_id: randomUUID(), node, input })).result;
      assert.equal(JSON.parse(await run(null)).update.text, 'Hello, Ada');
      assert.equal(JSON.parse(await run('{"inner": {"name": "Bo"}}')).update.text, 'Hello, Bo');
      const message = "The input is not valid for node 'greet'. inner.name: Field required";
      await assert.rejects(run('{"inner": {}}'), { message });
    });

    it('is read in a subgraph', async () => {
      const { threadId } = await host.run('nested', { topic: 'x' });
      const state = await host.state('nested', threadId);
      const [task] = state.tasks as { checkpoint: { checkpoint_ns: string } }[];
      const namespace = task?.checkpoint.checkpoint_ns ?? '';
      assert.match(namespace, /^child:/);
      const inner = await host.connection.request('state.get', {
        graph_id: 'nested',
        thread_id: threadId,
        config: {},
        context: {},
        checkpoint: { checkpoint_ns: namespace },
        subgraphs: false,
        start_from: host.checkpoints.get(threadId, namespace),
      });
      assert.deepEqual(JSON.parse(inner.state).next, ['inner_ask']);
    });

    it('includes schemas, diagrams and subgraphs of its graph', async () => {
      const params = { config: {}, context: {} };
      const schemas = await host.connection.request('graph.schemas', {
        graph_id: 'with_pydantic',
        ...params,
      });
      const { properties } = schemas.input_schema as { properties: { question: { description: string } } };
      assert.equal(properties.question.description, 'What is asked');
      assert.deepEqual(Object.keys((schemas.state_schema as { properties: object }).properties), [
        'question',
        'count',
      ]);
      const context = schemas.context_schema as { properties: object };
      assert.deepEqual(Object.keys(context.properties), ['model', 'temperature']);
      const diagram = await host.connection.request('graph.draw', {
        graph_id: 'nested',
        ...params,
        xray: true,
      });
      const ids = diagram.nodes.map(({ id }) => id);
      assert.ok(ids.includes('before') && ids.includes('child:inner_ask'));
      const subgraphs = await host.connection.request('graph.subgraphs', {
        graph_id: 'nested',
        ...params,
        recurse: true,
      });
      assert.deepEqual(Object.keys(subgraphs), ['child']);
      const functional = await host.connection.request('graph.schemas', {
        graph_id: 'functional',
        ...params,
      });
      assert.equal(functional.graph_id, 'functional');
    });

    it('is refused with an explanation for a graph that does not exist', async () => {
      await assert.rejects(
        host.connection.request('graph.schemas', { graph_id: 'nowhere', config: {}, context: {} }),
        /Graph 'nowhere' not found/,
      );
    });
  });
}
