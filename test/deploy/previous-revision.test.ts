import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { findPreviousRevision } from '../../src/deploy/previous-revision.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { revisionsPeer } from '../support/revisions-peer.ts';

describe('the revision to roll back to', () => {
  it('is found even if more than a hundred failed before or after the live one', async () => {
    const statuses = [
      ...Array(120).fill('BUILD_FAILED'),
      'DEPLOYED',
      ...Array(120).fill('BUILD_FAILED'),
      'DEPLOYED',
    ];
    await using peer = await revisionsPeer(statuses.map((status, n) => ({ id: `${n}`, status })));
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    assert.equal(
      await findPreviousRevision(client, { id: 'docs', name: 'docs', active_revision_id: '120' }),
      '241',
    );
  });
});
