import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { saveComparison } from '../../src/extension/panels/experiments/save-comparison.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

describe('a comparison to export', () => {
  const dataset = { id: '0198a000-0000-7000-8000-000000000001', name: 'greetings' };
  const there = { id: 'there', tenant_id: '', name: 'there', start_time: '2026-01-01T00:00:00Z' };

  /** Exports a comparison on a platform that has only one experiment. */
  async function save(baseline_id: string, experiment_id: string) {
    await using peer = await httpPeer(({ url }, response) =>
      json(response, 200, url.startsWith('/sessions') ? [there] : []),
    );
    const client = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher());
    await saveComparison(client, dataset, { baseline_id, experiment_id });
  }

  it('is refused if one of its experiments was deleted', async () => {
    await assert.rejects(save('gone', 'there'), /The baseline was not found/);
    await assert.rejects(save('there', 'gone'), /The experiment was not found/);
  });
});
