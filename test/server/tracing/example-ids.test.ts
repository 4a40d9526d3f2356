import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PurgeJob } from '../../../src/contract/purging.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { sendParts } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

interface Example {
  id: string;
  inputs: unknown;
  outputs: unknown;
  metadata: Record<string, unknown>;
  modified_at: string;
  deleted?: boolean;
}

describe('the id of an example', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  async function json<T>(route: string, init: { method?: string; body?: unknown } = {}): Promise<T> {
    const response = await platform.fetch(route, init);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  async function newDataset(metadata: object = {}): Promise<string> {
    const body = { name: randomUUID(), metadata };
    return (await json<{ id: string }>('/datasets', { method: 'POST', body })).id;
  }
  const add = (dataset_id: string, fields: object) =>
    platform.fetch('/examples', { method: 'POST', body: { dataset_id, ...fields } });
  async function added(dataset: string, fields: object): Promise<Example> {
    const response = await add(dataset, fields);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Example;
  }
  const remove = (id: string, body: object = {}) =>
    json('/v1/platform/datasets/examples/delete/', { method: 'POST', body: { example_ids: [id], ...body } });
  const listed = (dataset: string, asOf = 'latest') =>
    json<Example[]>(`/examples?dataset=${dataset}&as_of=${encodeURIComponent(asOf)}`);

  it('is taken until the example is deleted, and a new version revives it', async () => {
    const dataset = await newDataset();
    const { id } = await added(dataset, { inputs: { q: 1 } });
    assert.equal((await add(dataset, { id, inputs: { q: 1 } })).status, 409);
    await remove(id);
    const tombstone = await json<Example>(`/examples/${id}`);
    const change = { method: 'PATCH', body: { inputs: { q: 1 } } };
    assert.equal((await platform.fetch(`/examples/${id}`, change)).status, 404);
    const back = await added(dataset, { id, inputs: { q: 2 }, split: 'hard' });
    const { inputs, outputs, metadata, deleted } = back;
    assert.deepEqual([inputs, outputs, metadata], [{ q: 2 }, null, { dataset_split: ['hard'] }]);
    assert.equal(deleted, undefined);
    assert.deepEqual(
      (await listed(dataset)).map((each) => each.inputs),
      [{ q: 2 }],
    );
    assert.deepEqual(await listed(dataset, tombstone.modified_at), []);
    assert.equal((await add(dataset, { id, inputs: { q: 2 } })).status, 409);
  });

  it('can be used again after a permanent deletion, which is still verified', async () => {
    const dataset = await newDataset();
    const id = randomUUID();
    const upload = async (text: string) => {
      const parts = [
        { name: id, content: {} },
        { name: `${id}.inputs`, content: { q: text } },
        { name: `${id}.attachment.a`, contentType: 'text/plain', content: Buffer.from(text) },
      ];
      const response = await sendParts(platform, parts, `/v1/platform/datasets/${dataset}/examples`);
      assert.equal(response.status, 201, await response.text());
    };
    await upload('earlier');
    const [earlier] = await listed(dataset);
    await remove(id, { hard_delete: true });
    await upload('later');
    const job = await eventually(
      'the job ends',
      async () => {
        const jobs = await json<PurgeJob[]>('/purge/jobs');
        return jobs.find(({ filter }) => JSON.stringify(filter).includes(id));
      },
      (found) => found?.status === 'verified' || found?.status === 'failed',
    );
    assert.deepEqual([job?.status, job?.error], ['verified', null]);
    assert.deepEqual(
      (await listed(dataset)).map(({ inputs }) => inputs),
      [{ q: 'later' }],
    );
    assert.deepEqual(await listed(dataset, earlier?.modified_at), []);
  });

  describe("in a dataset from LangSmith's plugins for test runners", () => {
    it('is the same for all processes that add the same example at once', async () => {
      const dataset = await newDataset({ __ls_runner: 'vitest' });
      const id = randomUUID();
      const example = { id, inputs: { q: 1, list: [{ a: 1 }] }, outputs: { a: 'one' } };
      const all = await Promise.all([1, 2, 3].map(() => added(dataset, example)));
      assert.equal(new Set(all.map(({ modified_at }) => modified_at)).size, 1);
      assert.equal((await json<unknown[]>(`/datasets/${dataset}/versions`)).length, 2);
      assert.equal((await add(dataset, { ...example, outputs: { a: 'two' } })).status, 409);
      assert.equal((await add(await newDataset({ __ls_runner: 'vitest' }), example)).status, 409);
    });

    it('exists again when the test updates the deleted example', async () => {
      const dataset = await newDataset({ __ls_runner: 'pytest' });
      const { id } = await added(dataset, { inputs: { q: 1 } });
      await remove(id);
      await json(`/examples/${id}`, { method: 'PATCH', body: { inputs: { q: 1 }, outputs: { a: 1 } } });
      const [back] = await listed(dataset);
      assert.deepEqual([back?.id, back?.inputs, back?.outputs], [id, { q: 1 }, { a: 1 }]);
    });
  });
});
