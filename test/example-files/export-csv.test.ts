import assert from 'node:assert/strict';
import Papa from 'papaparse';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { exportCsv } from '../../src/example-files/export-csv.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describe('a dataset as CSV', () => {
  let platform: Platform;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  it('has the rows of a split as the platform writes them, or all of a version', async () => {
    const client = clientOf({ baseUrl: platform.url, apiKey: platform.workspace.key }, createDispatcher());
    const { id: dataset_id } = await client.datasets.create({ body: { name: 'sums' } });
    await client.examples.createMany({
      body: [
        { dataset_id, inputs: { sum: '=1+1', n: 1 }, split: 'easy' },
        { dataset_id, inputs: { sum: 'it\'s "2",\n+ 2' }, outputs: { answer: 4 }, split: ['easy', 'long'] },
        { dataset_id, inputs: { sum: '3' } },
      ],
    });
    const as_of = new Date().toISOString();
    const rows = async (filter: Parameters<typeof exportCsv>[2]) => {
      const text = await exportCsv(client, dataset_id, filter);
      const csv = typeof text === 'string' ? text : new TextDecoder().decode(text);
      return Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data;
    };
    const all = await rows({});
    assert.equal(all.length, 3);
    const easy = all.filter((row) => row['input.sum'] !== '3');
    assert.deepEqual(easy.map((row) => row['input.sum']).sort(), ["'=1+1", 'it\'s "2",\n+ 2'].sort());
    assert.deepEqual(await rows({ splits: ['easy'] }), easy);
    await client.examples.deleteMany({ query: { example_ids: easy.flatMap(({ id }) => id ?? []) } });
    assert.deepEqual(await rows({ splits: ['easy'] }), []);
    assert.deepEqual(await rows({ splits: ['easy'], as_of }), easy);
  });
});
