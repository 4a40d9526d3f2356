import assert from 'node:assert/strict';
import type { RuntimeState } from '../../../src/contract/harbor.ts';
import { GraphSources } from '../../../src/extension/graphs/graph-sources.ts';

describe('the sources of a graph', () => {
  const runtime: RuntimeState = {
    state: 'ready',
    language: 'node',
    language_version: '24',
    langgraph_version: '1.0',
    loader: 'node',
    graphs: [{ graph_id: 'agent', status: 'loaded', location: { file: '/a.ts', line: 1 }, nodes: {} }],
  };
  const live = { deployment_id: 'd', runtime };
  const node = { file: '/a.ts', line: 7 };

  it('are requested again after a request has failed, and then once for each load', async () => {
    const sources = new GraphSources();
    let requests = 0;
    const connect = async () => ({
      harbor: {
        locateGraph: async () => {
          requests++;
          if (requests === 1) throw new Error('The server is not responding.');
          return { nodes: { draft: node } };
        },
      },
    });
    const find = () => sources.find(live, 'agent', 'draft', connect);
    assert.equal(await find(), undefined);
    assert.deepEqual(await find(), node);
    assert.deepEqual(await find(), node);
    assert.equal(requests, 2);
  });
});
