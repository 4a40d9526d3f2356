import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Platform, startPlatform } from '../../support/platform.ts';

interface Shown {
  id: string;
  inputs: { n: number };
  runs: { id: string; outputs?: unknown; outputs_preview?: string; project_id?: string }[];
}

describe('the runs of experiments', () => {
  let platform: Platform;
  let dataset: string;
  const examples: string[] = [];
  const experiments: string[] = [];

  before(async () => {
    platform = await startPlatform();
    dataset = (await post('/datasets', { name: 'numbers' })).id;
    for (const n of [1, 2, 3]) {
      const id = randomUUID();
      examples.push(id);
      await post('/examples', { id, dataset_id: dataset, inputs: { n } });
    }
    for (const name of ['first', 'second']) {
      const { id } = await post('/sessions', { name, reference_dataset_id: dataset });
      experiments.push(id);
      for (const [at, reference_example_id] of examples.entries()) {
        const run = randomUUID();
        const outputs = { answer: `${name} ${at + 1}` };
        const fields = { id: run, name: 'target', run_type: 'chain', session_id: id, reference_example_id };
        const error = at === 2 ? 'no luck' : null;
        await post('/runs', { ...fields, inputs: {}, outputs, error, end_time: new Date().toISOString() });
        if (at < 2)
          await post('/feedback', { run_id: run, key: 'correct', score: name === 'first' ? at : 1 });
      }
    }
  });
  after(() => platform.close());

  async function ask(route: string, body: unknown) {
    return platform.fetch(route, { method: 'POST', body });
  }
  async function post<Answer = { id: string }>(route: string, body: unknown): Promise<Answer> {
    const response = await ask(route, body);
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as Answer;
  }
  const query = (body: object) =>
    post<{ items: Shown[]; next_cursor: string | null }>(`/api/v2/datasets/${dataset}/experiment-runs`, {
      experiment_ids: experiments,
      ...body,
    });
  const numbers = (shown: readonly Shown[]) => shown.map(({ inputs }) => inputs.n);

  it('are listed with their examples, page by page, with the selected fields', async () => {
    const first = await query({ page_size: 2, selects: ['OUTPUTS', 'PROJECT_ID'] });
    const rest = await query({ page_size: 2, cursor: first.next_cursor });
    assert.deepEqual(numbers([...first.items, ...rest.items]).sort(), [1, 2, 3]);
    assert.equal(rest.next_cursor, null);
    const one = first.items.find(({ id }) => id === examples[1]);
    assert.deepEqual(
      one?.runs.map(({ outputs, project_id }) => [outputs, project_id]),
      [
        [{ answer: 'first 2' }, experiments[0]],
        [{ answer: 'second 2' }, experiments[1]],
      ],
    );
    const { items } = await query({ example_ids: [examples[2]] });
    assert.deepEqual(numbers(items), [3]);
    assert.deepEqual(Object.keys(items[0]?.runs[0] ?? {}).includes('outputs'), false);
  });

  it('are listed to the end if some of the requested examples do not exist', async () => {
    const example_ids = [randomUUID(), ...examples];
    const first = await query({ example_ids, page_size: 2 });
    assert.deepEqual(numbers(first.items), [1]);
    const rest = await query({ example_ids, page_size: 2, cursor: first.next_cursor });
    assert.deepEqual([numbers(rest.items), rest.next_cursor], [[2, 3], null]);
  });

  it('are not listed with a cursor that was not returned by a page', async () => {
    for (const cursor of ['!', 'é', 'LTE']) {
      const answer = await ask(`/api/v2/datasets/${dataset}/experiment-runs`, {
        experiment_ids: experiments,
        cursor,
      });
      assert.equal(answer.status, 422, cursor);
      assert.match(await answer.text(), /Use the cursor returned with the previous page/);
    }
  });

  it('are sorted by feedback, those without feedback last', async () => {
    const experiment_ids = experiments.slice(0, 1);
    const by = 'feedback.correct';
    const down = await query({ experiment_ids, sort: { by } });
    assert.deepEqual(numbers(down.items), [2, 1, 3]);
    const up = await query({ experiment_ids, sort: { by, order: 'ASC' } });
    assert.deepEqual(numbers(up.items), [1, 2, 3]);
    assert.equal(
      (
        await ask(`/api/v2/datasets/${dataset}/experiment-runs`, {
          experiment_ids: experiments,
          sort: { by },
        })
      ).status,
      422,
    );
  });

  it('leave out examples none of whose runs pass the filters', async () => {
    const [first = ''] = experiments;
    const filters = { [first]: ['eq(is_root, true)', 'eq(status, "error")'] };
    const { items } = await query({ experiment_ids: [first], filters });
    assert.deepEqual(numbers(items), [3]);
  });

  it('are available in the older format too, complete or as previews', async () => {
    const session_ids = experiments.slice(1);
    const whole = await post<Shown[]>(`/api/v1/datasets/${dataset}/runs`, {
      session_ids,
      limit: 1,
      offset: 1,
    });
    assert.deepEqual(
      [whole.length, whole[0]?.runs[0]?.outputs],
      [1, { answer: `second ${whole[0]?.inputs.n}` }],
    );
    const [beginning] = await post<Shown[]>(`/datasets/${dataset}/runs`, { session_ids, preview: true });
    assert.match(beginning?.runs[0]?.outputs_preview ?? '', /second/);
    assert.equal(beginning?.runs[0]?.outputs, undefined);
  });

  it('are only those of experiments on the dataset', async () => {
    const { id } = await post('/sessions', { name: crypto.randomUUID() });
    const body = { experiment_ids: [id] };
    assert.equal((await ask(`/api/v2/datasets/${dataset}/experiment-runs`, body)).status, 404);
    const none = { experiment_ids: [] };
    assert.equal((await ask(`/api/v2/datasets/${dataset}/experiment-runs`, none)).status, 422);
  });
});
