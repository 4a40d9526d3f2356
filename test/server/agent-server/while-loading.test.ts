import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '../../../src/client/client.ts';
import { localConnection } from '../../../src/client/connection.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { graphProject } from '../../support/projects.ts';
import { serveProject } from '../../support/served-project.ts';

const SOURCE = `import { Annotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('double', ({ value }) => ({ value: 2 * value })).addEdge('__start__', 'double').compile();
`;

describe('a folder that has just been opened', function () {
  this.timeout(60_000);

  it('runs its graphs and lists their assistants for requests that come while they load', async () => {
    await using stack = new AsyncDisposableStack();
    const files = {
      'agent.mjs': SOURCE,
      'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
    };
    // Goes after the server, whose runtime has it as its current folder.
    const other = stack.use(await graphProject({ line: 'langgraph-1.7', empty: true, files }));
    const served = stack.use(await serveProject({ empty: true, files }));
    const { platformUrl: baseUrl, apiKey } = served;
    const dispatcher = stack.adopt(createDispatcher({}), (made) => made.destroy());
    const connect = (deploymentUrl: string) =>
      new Client({ dispatcher, connection: localConnection({ baseUrl, apiKey, deploymentUrl }) });
    const platform = connect(served.url);
    const { deployment_id, deployment_url, runtime } = await platform.harbor.openFolder({
      body: { config_path: path.join(other.folder, 'langgraph.json') },
    });
    assert.equal(runtime.state, 'starting');
    const client = connect(deployment_url);
    const body = { assistant_id: 'agent', input: { value: 2 } };
    const early = client.runs.waitStateless({ body });
    for (;;) {
      const folder = await platform.harbor.getFolder({ params: { deployment_id } });
      if (folder.runtime.state !== 'starting') break;
    }
    const [first, listed] = await Promise.all([
      client.runs.waitStateless({ body }),
      client.assistants.search({ body: {} }),
    ]);
    assert.deepEqual([await early, first], [{ value: 4 }, { value: 4 }]);
    assert.equal(listed.length, 1);
  });
});
