import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { readExperiments } from '../../src/experiments/read-experiments.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const SESSION = {
  id: '0198a000-0000-7000-8000-000000000001',
  tenant_id: '0198a000-0000-7000-8000-000000000002',
  name: 'greeter',
  start_time: '2026-01-01T00:00:00Z',
};

/** Reads an experiment as a platform sends it. */
async function read(fields: object) {
  await using peer = await httpPeer((_, response) => json(response, 200, [{ ...SESSION, ...fields }]));
  const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
  const [experiment] = await readExperiments(client, SESSION.id);
  return experiment;
}

describe('the statistics of an experiment', () => {
  it('are read without those that are of another type', async () => {
    const experiment = await read({
      ...{ run_count: 4, error_rate: 0.5, latency_p50: 'PT2S' },
      feedback_stats: { right: { n: 4, avg: 0.25 } },
    });
    const { runs, errorRate, scores, latency } = experiment ?? {};
    assert.deepEqual(
      { runs, errorRate, scores, latency },
      { runs: 4, errorRate: 0.5, scores: { right: { mean: 0.25, count: 4 } }, latency: undefined },
    );
  });

  it('have a cost of 0, but none if the platform sends none', async () => {
    assert.equal((await read({ total_cost: '0' }))?.cost, 0);
    assert.equal((await read({ total_cost: 0.02 }))?.cost, 0.02);
    assert.equal((await read({ total_cost: null }))?.cost, undefined);
  });
});
