import assert from 'node:assert/strict';
import { Client } from '../../../src/client/client.ts';
import { localConnection } from '../../../src/client/connection.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { findThreads } from '../../../src/extension/views/find-threads.ts';
import { ThreadTitles } from '../../../src/extension/views/thread-titles.ts';
import { serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

describe('the title of a thread', function () {
  this.timeout(120_000);

  it('is the words of the input of its first run', async () => {
    await using served = await serveProject();
    await using cleanup = new AsyncDisposableStack();
    const dispatcher = cleanup.adopt(createDispatcher(), (made) => made.destroy());
    const { platformUrl: baseUrl, apiKey, url: deploymentUrl } = served;
    const client = new Client({
      connection: localConnection({ baseUrl, apiKey, deploymentUrl }),
      dispatcher,
    });
    const create = async () => (await client.threads.create({ body: {} })).thread_id;
    const run = (thread_id: string, input: Record<string, unknown>) =>
      client.runs.wait({ params: { thread_id }, body: { assistant_id: 'agent', input } });
    const several = await create();
    for (const content of ['Crane 1299', 'Thanks', 'Bye'])
      await run(several, { messages: [{ role: 'user', content }] });
    const unused = await create();
    const titles = new ThreadTitles();
    assert.deepEqual([...(await titles.read(client, [several, unused]))], [[several, 'Crane 1299']]);

    // The title of a thread is read again until there is a run.
    await run(unused, { messages: [{ role: 'user', content: 'Pier 7' }] });
    assert.equal((await titles.read(client, [several, unused])).get(unused), 'Pier 7');

    // Threads are found by words of their answers too, by their names, and by their IDs.
    const find = async (text: string) => {
      const [project] = await client.tracing.sessions.list({ query: { limit: 1 } });
      return findThreads({ client, name: project?.name ?? '' }, text, 1000);
    };
    await eventually(
      'the traces to be stored',
      () => find('thanks'),
      (found) => found.length > 0,
    );
    assert.deepEqual(await find('thanks'), [several]);
    assert.deepEqual(await find('pier'), [unused]);
    assert.deepEqual(await find('nowhere'), []);
    await client.threads.update({ params: { thread_id: unused }, body: { metadata: { name: 'Quay' } } });
    assert.deepEqual(await find('quay'), [unused]);
    assert.deepEqual(await find(several.toUpperCase()), [several]);
  });
});
