import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { type Result, readResults } from '../../src/experiments/read-results.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const ID = '0198a000-0000-7000-8000-000000000001';

/** Reads the result of repetitions as a platform sends them. */
async function resultOf(...runs: readonly object[]): Promise<Result | undefined> {
  const items = [{ id: ID, runs: runs.map((run) => ({ id: ID, project_id: ID, ...run })) }];
  await using peer = await httpPeer((_, response) => json(response, 200, { items, next_cursor: null }));
  const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
  for await (const [example] of readResults(client, ID, [ID])) return example?.results.get(ID);
  return undefined;
}

describe('the result of an experiment for an example', () => {
  it('counts a cost of 0 in the mean, but not a missing one', async () => {
    const result = await resultOf({ total_cost: 0.02 }, { total_cost: 0 }, { total_cost: null });
    assert.deepEqual([result?.cost?.mean, result?.cost?.count], [0.01, 2]);
    assert.equal((await resultOf({ total_cost: null }))?.cost, undefined);
  });

  it('has feedback with or without a count', async () => {
    const result = await resultOf({
      feedback_stats: { right: { avg: 1 }, kind: { n: 2, values: { a: 2 } } },
    });
    assert.deepEqual([result?.scores.right?.mean, result?.values], [1, { kind: 'a' }]);
  });

  it('cannot be read if its feedback has another form, instead of lacking it', async () => {
    await assert.rejects(resultOf({ feedback_stats: { right: 'good' } }), /feedback_stats/);
  });
});
