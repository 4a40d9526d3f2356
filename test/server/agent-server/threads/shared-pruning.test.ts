import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { requirePostgres } from '../../../support/postgres.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

const ROUNDS = 5;
const THREADS = 20;
const Pruned = z.object({ pruned_count: z.int() });

describe('pruning threads in a database of a team', function () {
  this.timeout(60_000);
  const cleanup = new AsyncDisposableStack();
  let served: ServedProject;
  // Between two reads from PostgreSQL, other requests can write.
  before(async function () {
    const postgres = cleanup.use(await requirePostgres(this));
    served = cleanup.use(await serveProject({ database: await postgres.createDatabase() }));
  });
  after(() => cleanup.disposeAsync());

  async function prune(thread_ids: readonly string[], strategy: 'delete' | 'keep_latest') {
    const response = await fetch(`${served.url}/threads/prune`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ thread_ids, strategy }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return Pruned.parse(JSON.parse(text)).pruned_count;
  }

  it('skips threads that other requests delete meanwhile', async () => {
    const { threads } = new Client({ apiUrl: served.url, apiKey: null });
    const remove = async (thread_id: string) => {
      const { status } = await fetch(`${served.url}/threads/${thread_id}`, { method: 'DELETE' });
      assert.ok([204, 404].includes(status), String(status));
    };
    for (let round = 0; round < ROUNDS; round++) {
      const made = await Promise.all(Array.from({ length: THREADS }, () => threads.create()));
      const ids = made.map(({ thread_id }) => thread_id);
      const pruning = Array.from({ length: 12 }, () => prune(ids, 'delete'));
      await Promise.all([...pruning, prune(ids, 'keep_latest'), ...ids.map(remove)]);
      assert.equal(await prune(ids, 'delete'), 0);
    }
  });

  it('counts a thread once that several requests delete', async () => {
    const { threads } = new Client({ apiUrl: served.url, apiKey: null });
    const made = await Promise.all(Array.from({ length: THREADS }, () => threads.create()));
    const ids = made.map(({ thread_id }) => thread_id);
    const counts = await Promise.all(Array.from({ length: 12 }, () => prune(ids, 'delete')));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      THREADS,
    );
  });
});
