import assert from 'node:assert/strict';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { addExamples, deleteExamples, listExamples } from '../../src/client/examples.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describe('deleting examples', function () {
  this.timeout(30_000);
  const dispatcher = createDispatcher();
  let platform: Platform;
  let client: Client;

  before(async () => {
    platform = await startPlatform();
    const { url: baseUrl, workspace } = platform;
    const connection = { baseUrl, controlPlaneUrl: baseUrl, credentials: { apiKey: workspace.key } };
    client = new Client({ dispatcher, connection });
  });
  after(async () => {
    await platform.close();
    await dispatcher.destroy();
  });

  it('deletes more than fit into the URL of one request', async () => {
    const dataset = await client.datasets.create({ body: { name: 'many' } });
    await addExamples(
      client,
      (async function* () {
        for (let number = 0; number < 501; number++) yield { inputs: { number } };
      })(),
      { into: () => dataset.id },
    );
    const ids: string[] = [];
    for await (const { id } of listExamples(client, dataset.id)) ids.push(id ?? assert.fail());
    const [kept = assert.fail(), ...deleted] = ids;
    assert.equal(deleted.length, 500);
    await deleteExamples(client, deleted);
    const left: (string | undefined)[] = [];
    for await (const { id } of listExamples(client, dataset.id)) left.push(id);
    assert.deepEqual(left, [kept]);
  });
});
