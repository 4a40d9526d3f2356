import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { serveProject } from '../../../support/served-project.ts';

/** A graph whose process ends when the graph is requested while the file `crash` exists. */
const CRASHING = `import { existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const compiled = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('double', ({ value }) => ({ value: 2 * value })).addEdge('__start__', 'double').compile();
export const graph = () => {
  if (existsSync(new URL('./crash', import.meta.url))) process.kill(process.pid, 'SIGKILL');
  return compiled;
};
`;

describe('importing a thread', function () {
  this.timeout(120_000);

  it('can be completed later when the graph’s process stops before it has read the thread', async () => {
    await using stack = new AsyncDisposableStack();
    const served = stack.use(
      await serveProject({
        empty: true,
        files: {
          'agent.mjs': CRASHING,
          'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
        },
      }),
    );
    const dispatcher = stack.adopt(createDispatcher({}), (made) => made.destroy());
    const { url: deploymentUrl, platformUrl: baseUrl, apiKey } = served;
    const { archive, runs, threads } = new Client({
      dispatcher,
      connection: localConnection({ baseUrl, apiKey, deploymentUrl }),
    });
    const { thread_id } = await threads.create({ body: {} });
    const params = { thread_id };
    await runs.wait({ params, body: { assistant_id: 'agent', input: { value: 2 } } });
    const before = await threads.get({ params });
    const { thread, records } = await archive.exportThread({ params, query: {} });
    await threads.delete({ params });

    await archive.importThread({ params, body: { thread, records: [], last: false } });
    const crash = path.join(served.project.folder, 'crash');
    await writeFile(crash, '');
    const last = { params, body: { records, last: true } };
    await assert.rejects(archive.importThread(last), { status: 503 });
    assert.equal((await threads.get({ params })).status, 'error');
    await rm(crash);
    assert.deepEqual(await archive.importThread(last), { status: 'imported' });
    assert.deepEqual(await threads.get({ params }), before);
  });
});
