import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '../../../src/client/client.ts';
import { localConnection } from '../../../src/client/connection.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

const source = (ms: number) => `import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ done: Annotation() });
export const graph = new StateGraph(State)
  .addNode('count', () => {
    const end = Date.now() + ${ms};
    while (Date.now() < end);
    return { done: true };
  })
  .addEdge(START, 'count')
  .addEdge('count', END)
  .compile();
`;

describe('code that blocks its event loop', function () {
  this.timeout(90_000);

  it('is reported in the state of its deployment, with the line that blocks, until the graphs are loaded again', async () => {
    await using served = await serveProject({
      empty: true,
      files: {
        'agent.mjs': source(2000),
        'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
      },
    });
    await using cleanup = new AsyncDisposableStack();
    const dispatcher = cleanup.adopt(createDispatcher({}), (made) => made.destroy());
    const { url, platformUrl: baseUrl, apiKey } = served;
    const client = new Client({
      dispatcher,
      connection: localConnection({ baseUrl, apiKey, deploymentUrl: url }),
    });
    const file = path.join(served.project.folder, 'agent.mjs');
    const config_path = path.join(served.project.folder, 'langgraph.json');
    const state = async () => {
      const { deployment_id, runtime } = await client.harbor.openFolder({ body: { config_path } });
      return { deployment_id, blocking: runtime.state === 'ready' ? (runtime.blocking ?? []) : undefined };
    };
    const run = () => client.runs.waitStateless({ body: { assistant_id: 'agent', input: {} } });

    const { deployment_id, blocking } = await eventually(
      'the line',
      async () => {
        await run();
        return state();
      },
      (seen) => (seen.blocking?.length ?? 0) > 0,
      60_000,
    );
    assert.deepEqual(
      blocking?.map(({ file: at, line }) => [at, line]),
      [[file, 6]],
    );
    assert.match(blocking?.[0]?.advice ?? '', /blocks the event loop/);

    await client.harbor.restartFolder({ params: { deployment_id } });
    await eventually('the graphs loaded again', state, (seen) => seen.blocking?.length === 0, 30_000);
  });
});
