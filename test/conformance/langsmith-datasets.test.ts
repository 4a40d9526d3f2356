import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { type Platform, startPlatform } from '../support/platform.ts';

type KVMap = Record<string, unknown>;

describe('the langsmith client and datasets', () => {
  let platform: Platform;
  let client: Client;
  beforeEach(async () => {
    platform = await startPlatform();
    client = new Client({ apiUrl: platform.url, apiKey: platform.workspace.key });
  });
  afterEach(() => platform.close());

  it('creates, reads, updates and deletes datasets and examples', async () => {
    const dataset = await client.createDataset('first', { description: 'a test', metadata: { team: 'a' } });
    assert.equal((await client.readDataset({ datasetName: 'first' })).id, dataset.id);
    const [one, two] = await client.createExamples([
      { dataset_id: dataset.id, inputs: { q: 1 }, outputs: { a: 1 }, metadata: { level: 'easy' } },
      { dataset_id: dataset.id, inputs: { q: 2 }, outputs: { a: 4 }, split: 'test' },
    ]);
    assert.ok(one && two);
    await client.updateExample({ id: one.id, outputs: { a: 2 } });
    assert.deepEqual((await client.readExample(one.id)).outputs, { a: 2 });
    const hard = [];
    for await (const example of client.listExamples({ datasetId: dataset.id, splits: ['test'] }))
      hard.push(example.id);
    assert.deepEqual(hard, [two.id]);
    const easy = [];
    for await (const example of client.listExamples({ datasetId: dataset.id, metadata: { level: 'easy' } }))
      easy.push(example.id);
    assert.deepEqual(easy, [one.id]);
    await client.deleteExample(one.id);
    const left = [];
    for await (const example of client.listExamples({ datasetId: dataset.id })) left.push(example.id);
    assert.deepEqual(left, [two.id]);
    await client.deleteExamples([two.id], { hardDelete: true });
    await assert.rejects(client.readExample(two.id), /not found/);
    await client.deleteDataset({ datasetId: dataset.id });
    assert.equal(await client.hasDataset({ datasetName: 'first' }), false);
  });

  it('stores attachments of examples and downloads them without a key', async () => {
    const dataset = await client.createDataset('attached');
    const id = randomUUID();
    await client.createExamples([
      {
        id,
        dataset_id: dataset.id,
        inputs: { q: 1 },
        attachments: { note: { mimeType: 'text/plain', data: Buffer.from('hello') } },
      },
    ]);
    const example = await client.readExample(id);
    const { presigned_url = '' } =
      (example as { attachments?: Record<string, { presigned_url: string }> }).attachments?.note ?? {};
    assert.equal(await (await fetch(presigned_url)).text(), 'hello');
    assert.equal((await fetch(`${presigned_url}x`)).status, 404);
  });

  it('finds versions by time and tag, and their differences', async () => {
    const dataset = await client.createDataset('history');
    const example = await client.createExample({ q: 1 }, { a: 1 }, { datasetId: dataset.id });
    const before = await client.readDatasetVersion({ datasetId: dataset.id, asOf: new Date() });
    await client.updateDatasetTag({ datasetId: dataset.id, asOf: before.as_of, tag: 'v1' });
    await client.updateExample({ id: example.id, outputs: { a: 2 } });
    const added = await client.createExample({ q: 2 }, { a: 4 }, { datasetId: dataset.id });
    const then = [];
    for await (const old of client.listExamples({ datasetId: dataset.id, asOf: 'v1' }))
      then.push(old.outputs);
    assert.deepEqual(then, [{ a: 1 }]);
    const diff = await client.diffDatasetVersions({
      datasetId: dataset.id,
      fromVersion: 'v1',
      toVersion: 'latest',
    });
    assert.deepEqual(diff, {
      examples_added: [added.id],
      examples_modified: [example.id],
      examples_removed: [],
    });
  });

  it('uploads a CSV file', async () => {
    const dataset = await client.uploadCsv({
      csvFile: new Blob(['question,answer\n"why, though?",because\nhow?,so\n']),
      fileName: 'questions.csv',
      inputKeys: ['question'],
      outputKeys: ['answer'],
      name: 'from csv',
    });
    const found = [];
    for await (const example of client.listExamples({ datasetId: dataset.id }))
      found.push([example.inputs, example.outputs]);
    assert.deepEqual(
      Object.fromEntries(found.map(([inputs, outputs]) => [inputs?.question, outputs?.answer])),
      {
        'why, though?': 'because',
        'how?': 'so',
      },
    );
  });

  it('evaluates a target over a dataset, with scores on its runs', async () => {
    const dataset = await client.createDataset('arithmetic');
    await client.createExamples([
      { dataset_id: dataset.id, inputs: { n: 2 }, outputs: { square: 4 } },
      { dataset_id: dataset.id, inputs: { n: 3 }, outputs: { square: 10 } },
    ]);
    const results = await evaluate((inputs: { n: number }) => ({ square: inputs.n * inputs.n }), {
      data: 'arithmetic',
      client,
      experimentPrefix: 'squares',
      evaluators: [
        ({ outputs, referenceOutputs }: { outputs: KVMap; referenceOutputs?: KVMap }) => ({
          key: 'correct',
          score: Number(outputs.square === referenceOutputs?.square),
        }),
      ],
    });
    assert.equal(results.results.length, 2);
    await client.awaitPendingTraceBatches();
    const experiment = await client.readProject({ projectName: results.experimentName, includeStats: true });
    assert.equal(experiment.reference_dataset_id, dataset.id);
    const scores = [];
    for await (const run of client.listRuns({ projectName: results.experimentName, isRoot: true })) {
      scores.push(run.feedback_stats?.correct?.avg);
      assert.ok(run.reference_example_id);
    }
    assert.deepEqual(scores.sort(), [0, 1]);
  });
});
