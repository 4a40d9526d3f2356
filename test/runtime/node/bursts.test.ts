import assert from 'node:assert/strict';
import { graphProject } from '../../support/projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';

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
    const goOnAfter = host.pauseReading();
    const flood = host.run(
      'flood',
      { count: 20_000 },
      {
        stream_modes: ['custom'],
        onEvent: (_name, data) => seen.push((data as { index: number }).index),
      },
    );
    const quick = host.run('quick', { count: 1 });
    await goOnAfter(300);
    assert.equal((await quick).status, 'success');
    assert.equal((await flood).status, 'success');
    assert.deepEqual(
      seen,
      Array.from({ length: 20_000 }, (_, index) => index),
    );
  });
});
