import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { readExperiments } from '../../src/experiments/read-experiments.ts';

describe('the statistics of an experiment', () => {
  it('are read without those that are of another type', async () => {
    const session = {
      id: '0198a000-0000-7000-8000-000000000001',
      tenant_id: '0198a000-0000-7000-8000-000000000002',
      name: 'greeter',
      start_time: '2026-01-01T00:00:00Z',
      run_count: 4,
      error_rate: 0.5,
      latency_p50: 'PT2S',
      feedback_stats: { right: { n: 4, avg: 0.25 } },
    };
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify([session]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const baseUrl = `http://127.0.0.1:${address.port}`;
    const dispatcher = createDispatcher();
    try {
      const client = new Client({
        dispatcher,
        connection: { baseUrl, controlPlaneUrl: baseUrl, credentials: {} },
      });
      const [experiment] = await readExperiments(client, session.id);
      const { runs, errorRate, scores, latency } = experiment ?? {};
      assert.deepEqual(
        { runs, errorRate, scores, latency },
        {
          runs: 4,
          errorRate: 0.5,
          scores: { right: { mean: 0.25, count: 4 } },
          latency: undefined,
        },
      );
    } finally {
      await dispatcher.close();
      server.close();
    }
  });
});
