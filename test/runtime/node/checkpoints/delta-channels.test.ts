import assert from 'node:assert/strict';
import { type GraphProject, graphProject } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';

const source = `
import { Annotation, DeltaChannel, StateGraph } from '@langchain/langgraph';
const append = (state, writes) => state.concat(...writes);
const State = Annotation.Root({
  log: () => new DeltaChannel(append, { snapshotFrequency: 7, initialValueFactory: () => [] }),
  note: Annotation(),
});
export const graph = new StateGraph(State)
  .addNode('first', ({ note }) => ({ log: [note + ' first'] }))
  .addNode('second', ({ note }) => ({ log: [note + ' second'] }))
  .addEdge('__start__', 'first')
  .addEdge('first', 'second')
  .compile();
`;

for (const line of ['langgraph-1.4', 'langgraph-1.7'] as const) {
  describe(`a channel that stores what is written to it, not its value, on ${line}`, () => {
    let project: GraphProject;
    let host: RuntimeHost;

    before(async () => {
      const graphs = JSON.stringify({ graphs: { log: './graph.js:graph' } });
      project = await graphProject({
        line,
        empty: true,
        files: { 'graph.js': source, 'langgraph.json': graphs },
      });
      host = new RuntimeHost({ project });
      await host.initialize();
    });
    after(async () => {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    });

    const logOf = (state: { values: string } | null): unknown => JSON.parse(state?.values ?? '').log;

    it('has its whole value after many runs, at every checkpoint, with few requests', async () => {
      const expected: string[] = [];
      let threadId: string | undefined;
      for (let index = 0; index < 12; index++) {
        expected.push(`${index} first`, `${index} second`);
        const run = await host.run(
          'log',
          { note: String(index) },
          threadId === undefined ? {} : { thread_id: threadId },
        );
        threadId = run.threadId;
        assert.equal(run.status, 'success', run.error?.stack);
        assert.deepEqual(logOf(run.state), expected);
      }
      const asked = host.asked.length;
      assert.deepEqual((await host.state('log', threadId ?? '')).values, { log: expected, note: '11' });
      assert.ok(host.asked.length - asked <= 2, `${host.asked.length - asked} questions`);
      const tuples = host.checkpoints.list({ thread_id: threadId ?? '' });
      const params = { graph_id: 'log', thread_id: threadId ?? '', config: {}, context: {} };
      const history = await host.connection.request('state.history', { ...params, tuples, parents: [] });
      // The history depends on checkpoints before the requested ones.
      assert.equal(history.repeatable, false);
      const snapshots = tuples.filter(({ channel_values }) => 'log' in channel_values);
      assert.ok(snapshots.length > 1 && snapshots.length < tuples.length / 2);
      const middle = tuples.find(({ metadata }) => metadata.source === 'loop' && metadata.step === 13);
      const branch = await host.run(
        'log',
        { note: 'branch' },
        {
          thread_id: threadId ?? '',
          checkpoint: { checkpoint_id: middle?.checkpoint_id ?? '' },
        },
      );
      const kept = expected.slice(0, (logOf(branch.state) as string[]).length - 2);
      assert.deepEqual(logOf(branch.state), [...kept, 'branch first', 'branch second']);
      assert.ok(kept.length > 4);
    });
  });
}
