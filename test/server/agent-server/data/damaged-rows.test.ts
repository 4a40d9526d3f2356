import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { graphProject } from '../../../support/projects.ts';
import { serveProject } from '../../../support/served-project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a data folder with unreadable rows', function () {
  this.timeout(120_000);

  it('is served with the threads they belong to, and keeps them', async () => {
    await using data = await temporaryFolder();
    await using project = await graphProject({ line: 'langgraph-1.7' });
    const serve = () =>
      serveProject({ dataDir: data.path, given: { ...project, [Symbol.asyncDispose]: async () => {} } });
    const runIds: string[] = [];
    let threadId = '';
    let damaged = '';
    {
      await using served = await serve();
      const client = new Client({ apiUrl: served.url, apiKey: null });
      ({ thread_id: threadId } = await client.threads.create());
      ({ thread_id: damaged } = await client.threads.create({ metadata: { user: 'ada' } }));
      for (let n = 0; n < 3; n++) {
        const { run_id } = await client.runs.create(threadId, 'one_node', { input: { value: n } });
        await client.runs.join(threadId, run_id);
        runIds.push(run_id);
      }
    }
    const state = new DatabaseSync(path.join(data.path, 'state.db'));
    const [first = '', second = '', third = ''] = runIds;
    state.prepare("UPDATE runs SET status = 'running', kwargs = '{\"cut' WHERE run_id = ?").run(first);
    state.prepare("UPDATE runs SET status = 'pending', metadata = 'junk' WHERE run_id = ?").run(second);
    state.prepare("UPDATE runs SET status = 'pending', start_after = 'soon' WHERE run_id = ?").run(third);
    state.prepare("UPDATE threads SET status = 'busy' WHERE thread_id = ?").run(threadId);
    state.prepare('UPDATE threads SET metadata = \'{"user": "ad\' WHERE thread_id = ?').run(damaged);
    const name = `workspace-purge:${crypto.randomUUID()}`;
    state.prepare("INSERT INTO settings (name, value) VALUES (?, '{')").run(name);
    state.close();
    {
      await using served = await serve();
      const client = new Client({ apiUrl: served.url, apiKey: null });
      assert.equal((await client.threads.get(threadId)).status, 'idle');
      const { kwargs } = Kwargs.parse(await client.runs.get(threadId, first));
      assert.deepEqual(kwargs, { unreadable: '{"cut' });
      const listed = await client.runs.list(threadId);
      assert.deepEqual(listed.map(({ run_id }) => run_id).sort(), [...runIds].sort());
      assert.deepEqual(listed.find(({ run_id }) => run_id === second)?.metadata, { unreadable: 'junk' });
      const unreadable = { unreadable: '{"user": "ad' };
      assert.deepEqual((await client.threads.get(damaged)).metadata, unreadable);
      const threads = await client.threads.search({ ids: [threadId, damaged] });
      assert.deepEqual(threads.map(({ thread_id }) => thread_id).sort(), [threadId, damaged].sort());
      await client.threads.update(damaged, { metadata: { user: 'ada' } });
      assert.deepEqual((await client.threads.get(damaged)).metadata, { ...unreadable, user: 'ada' });
      assert.ok(Object.hasOwn(await client.runs.wait(damaged, 'one_node', { input: { value: 7 } }), 'value'));
      const answer = await client.runs.wait(threadId, 'one_node', { input: { value: 7 } });
      assert.ok(Object.hasOwn(answer, 'value'));
    }
    const kept = new DatabaseSync(path.join(data.path, 'state.db'), { readOnly: true });
    const statuses = runIds.map((id) => kept.prepare('SELECT status FROM runs WHERE run_id = ?').get(id));
    assert.deepEqual(
      statuses.map((row) => row?.status),
      ['running', 'pending', 'pending'],
    );
    assert.ok(kept.prepare('SELECT 1 FROM settings WHERE name = ?').get(name));
    kept.close();
  });
});

const Kwargs = z.looseObject({ kwargs: z.unknown() });
