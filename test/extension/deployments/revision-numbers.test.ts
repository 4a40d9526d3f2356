import assert from 'node:assert/strict';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { RevisionNumbers } from '../../../src/extension/deployments/revision-numbers.ts';
import { clientOf } from '../../../src/launcher/client-of.ts';
import { revisionsPeer } from '../../support/revisions-peer.ts';

describe('the numbers of revisions', () => {
  const revisions = Array.from({ length: 130 }, (_, n) => ({ id: `${n}`, status: 'DEPLOYED' }));

  it('are counted from the oldest, for the newest ones and for any other', async () => {
    await using peer = await revisionsPeer(revisions);
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    const numbers = new RevisionNumbers();
    const newest = (await client.revisions.list({ params: { deployment_id: 'docs' }, query: { limit: 2 } }))
      .resources;
    assert.deepEqual(await numbers.of(client, 'docs', newest), [130, 129]);
    assert.equal(await numbers.numberOf(client, 'docs', '129'), 1);
    const added = [{ ...newest[0], id: 'new', status: 'DEPLOYED', created_at: '' }, ...newest];
    const count = peer.seen.length;
    assert.deepEqual(await numbers.of(client, 'docs', added), [131, 130, 129]);
    assert.equal(await numbers.numberOf(client, 'docs', '128'), 2);
    assert.equal(peer.seen.length, count, 'nothing is counted again');
  });
});
