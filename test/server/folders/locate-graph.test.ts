import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '../../../src/client/client.ts';
import { localConnection } from '../../../src/client/connection.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { serveProject } from '../../support/served-project.ts';

describe('locating a graph', function () {
  this.timeout(120_000);

  it('reports the error of its code, or that it does not exist', async () => {
    await using stack = new AsyncDisposableStack();
    const served = stack.use(
      await serveProject({
        empty: true,
        files: {
          'agent.mjs': "export const graph = () => { throw new Error('MODEL_URL is not set.'); };",
          'langgraph.json': JSON.stringify({ graphs: { failing: './agent.mjs:graph' } }),
        },
      }),
    );
    const dispatcher = stack.adopt(createDispatcher({}), (made) => made.destroy());
    const connection = localConnection({ baseUrl: served.platformUrl, apiKey: served.apiKey });
    const { harbor } = new Client({ dispatcher, connection });
    const config_path = path.join(served.project.folder, 'langgraph.json');
    const { deployment_id } = await harbor.openFolder({ body: { config_path } });
    const locate = (graph_id: string) => harbor.locateGraph({ params: { deployment_id, graph_id } });
    await assert.rejects(locate('failing'), { status: 400, message: /MODEL_URL is not set\./ });
    await assert.rejects(locate('missing'), { status: 404, message: /Graph 'missing' not found\./ });
  });
});
