import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { findPreviousRevision } from '../../src/deploy/previous-revision.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('the revision to roll back to', () => {
  it('is found even if more than a hundred failed before or after the live one', async () => {
    const statuses = [
      ...Array(120).fill('BUILD_FAILED'),
      'DEPLOYED',
      ...Array(120).fill('BUILD_FAILED'),
      'DEPLOYED',
    ];
    const revisions = statuses.map((status, n) => ({ id: `${n}`, status, created_at: TIME }));
    await using peer = await httpPeer(({ url }, response) => {
      const query = new URL(url, 'http://platform').searchParams;
      const offset = Number(query.get('offset') ?? 0);
      json(response, 200, {
        resources: revisions.slice(offset, offset + Number(query.get('limit'))),
        offset,
      });
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    assert.equal(
      await findPreviousRevision(client, { id: 'docs', name: 'docs', active_revision_id: '120' }),
      '241',
    );
  });
});
