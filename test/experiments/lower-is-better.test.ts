import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { readLowerIsBetter } from '../../src/experiments/lower-is-better.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer } from '../support/http-peer.ts';

describe('the feedback keys for which a lower score is better', () => {
  for (const status of [404, 405]) {
    it(`are none on a platform that answers ${status} for feedback configurations`, async () => {
      await using peer = await httpPeer((_, response) => void response.writeHead(status).end());
      const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
      assert.deepEqual(await readLowerIsBetter(client), new Set());
    });
  }

  it('are unknown when the platform refuses to list feedback configurations', async () => {
    await using peer = await httpPeer((_, response) => void response.writeHead(403).end());
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    await assert.rejects(readLowerIsBetter(client), RequestError);
  });
});
