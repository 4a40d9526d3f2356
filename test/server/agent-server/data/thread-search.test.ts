import assert from 'node:assert/strict';
import { z } from 'zod';
import { ThreadSearch } from '../../../../src/contract/agent-server/threads.ts';
import { ThreadSearches } from '../../../../src/server/agent-server/data/thread-search.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';

/** More than are looked up one by one. */
const THREADS = 1_200;

describe('a search of threads by metadata', () => {
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  let searches: ThreadSearches;

  before(async () => {
    made = await deploymentDatabase();
    const { db } = made;
    searches = new ThreadSearches(db, DEPLOYMENT);
    await db.commit((unit) => {
      for (let n = 0; n < THREADS; n++) {
        const thread_id = `thread ${String(n).padStart(4, '0')}`;
        const at = new Date(1_750_000_000_000 + n * 1000).toISOString();
        const metadata = { graph_id: 'agent', user: n % 100 };
        const thread = { thread_id, deployment_id: DEPLOYMENT, status: 'idle' as const, config: '{}' };
        unit.do(
          unit.build.insertInto('threads').values({
            ...thread,
            ...{ metadata: JSON.stringify(metadata), interrupts: '{}', created_at: at, updated_at: at },
          }),
        );
        for (const [key, value] of Object.entries(metadata))
          unit.do(
            unit.build
              .insertInto('thread_metadata')
              .values({ deployment_id: DEPLOYMENT, key, value: JSON.stringify(value), thread_id }),
          );
      }
    });
  });
  after(() => made[Symbol.asyncDispose]());

  const find = async (metadata: Record<string, unknown>) => {
    const request = ThreadSearch.parse({ metadata, limit: 2, select: ['thread_id'] });
    const { page, total } = await searches.search(request);
    const threads = z.array(z.object({ thread_id: z.string() })).parse(JSON.parse(page.text));
    return { ids: threads.map(({ thread_id }) => thread_id), total };
  };

  it('finds the newest and counts all, whether few or many match', async () => {
    assert.deepEqual(await find({ user: 7 }), { ids: ['thread 1107', 'thread 1007'], total: 12 });
    assert.deepEqual(await find({ graph_id: 'agent' }), {
      ids: ['thread 1199', 'thread 1198'],
      total: THREADS,
    });
    assert.deepEqual(await find({ graph_id: 'agent', user: 7 }), {
      ids: ['thread 1107', 'thread 1007'],
      total: 12,
    });
    assert.deepEqual(await find({ user: 'nobody' }), { ids: [], total: 0 });
  });
});
