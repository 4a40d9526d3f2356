import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { followRevision } from '../../src/deploy/follow-revision.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const ID = '0198a000-0000-7000-8000-000000000001';

describe('the build log of a revision that is followed', () => {
  /** The IDs of the shown lines. @param isPaged whether the platform sends `next_offset` when there are more lines */
  async function shown(isPaged: boolean): Promise<string[]> {
    let polls = 0;
    await using peer = await httpPeer((request, response) => {
      if (!request.url.endsWith('/build_logs')) {
        polls++;
        const status = polls < 4 ? 'BUILDING' : 'DEPLOYED';
        json(response, 200, { id: ID, status, source: 'github', created_at: '2026-01-02T03:04:05Z' });
        return;
      }
      const log = Array.from({ length: polls * 150 }, (_, at) => ({
        id: String(at),
        timestamp: Date.UTC(2026) + at,
        message: '',
      }));
      const { limit, offset, start_time: start } = JSON.parse(request.body);
      const rest = log.filter(({ timestamp }) => timestamp >= (Date.parse(start) || 0));
      const from = Number(offset ?? 0);
      const hasMore = rest.length > from + limit;
      json(response, 200, {
        logs: rest.slice(from, from + limit),
        ...(isPaged && hasMore && { next_offset: String(from + limit) }),
      });
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    const ids: string[] = [];
    await followRevision(
      client,
      { deployment_id: ID, revision_id: ID },
      { status: () => {}, line: ({ id }) => ids.push(id) },
      AbortSignal.timeout(10_000),
      async () => {},
    );
    return ids;
  }
  const all = Array.from({ length: 600 }, (_, at) => String(at));

  it('has each line once on a platform whose last page has no offset', async () => {
    assert.deepEqual(await shown(true), all);
  });

  it('has each line once on a platform without offsets', async () => {
    assert.deepEqual(await shown(false), all);
  });
});
