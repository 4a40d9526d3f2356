import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

describe('states of threads as the public SDK reads them', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  it('have the errors of tasks in the form that it parses', async () => {
    const { thread_id } = await client().threads.create();
    await assert.rejects(client().runs.wait(thread_id, 'throws', { input: {} }));
    const { tasks } = await client().threads.getState(thread_id);
    const told: unknown = JSON.parse(tasks.find(({ error }) => error != null)?.error ?? '');
    assert.ok(typeof told === 'object' && told !== null && 'message' in told && 'name' in told);
  });

  it('are not updated in a thread whose checkpoint could not be stored', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'one_node', { input: { value: 1 } });
    const before = await client().threads.get(thread_id);
    const db = new DatabaseSync(path.join(served.dataDir, 'state.db'));
    db.exec(`create trigger broken before insert on checkpoints when new.run_id is null
      begin select raise(abort, 'broken'); end`);
    try {
      await assert.rejects(
        client().threads.updateState(thread_id, { values: { value: 5 } }),
        /was not stored/,
      );
      assert.deepEqual(await client().threads.get(thread_id), before);
    } finally {
      db.exec('drop trigger broken');
      db.close();
    }
    await client().threads.updateState(thread_id, { values: { value: 5 } });
    const { values } = await client().threads.getState(thread_id);
    assert.deepEqual(values, { value: 5 });
  });

  it('contain only known checkpoint fields of an interrupted subgraph', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'nested', { input: {} });
    const { tasks } = await client().threads.getState(thread_id);
    const checkpoint = tasks.find((task) => task.checkpoint != null)?.checkpoint;
    assert.deepEqual(Object.keys(checkpoint ?? {}).toSorted(), ['checkpoint_ns', 'thread_id']);
  });

  it('are limited to the checkpoint of a history request', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'one_node', { input: { value: 1 } });
    const all = await client().threads.getHistory(thread_id);
    const second = all[1]?.checkpoint;
    assert.ok(all.length > 2 && second !== undefined);
    const named = await client().threads.getHistory(thread_id, { checkpoint: second });
    assert.deepEqual(
      named.map(({ checkpoint }) => checkpoint.checkpoint_id),
      [second.checkpoint_id],
    );
  });

  it('are unfinished when only the last checkpoint was not stored, and continue from there', async () => {
    const { thread_id } = await client().threads.create();
    const values = await client().runs.wait(thread_id, 'ten_nodes', { input: { value: 1 } });
    const exported = await fetch(`${served.url}/harbor/threads/${thread_id}/export`);
    const { thread, records } = Exported.parse(await exported.json());
    const last = records.reduce((newest, { checkpoint_id: id = '' }) => (id > newest ? id : newest), '');
    const { values: _, ...described } = thread;
    const copy = crypto.randomUUID();
    const imported = await fetch(`${served.url}/harbor/threads/${copy}/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        thread: { ...described, thread_id: copy },
        records: records.filter(({ checkpoint_id }) => checkpoint_id !== last),
        last: true,
      }),
    });
    assert.equal(imported.status, 200, await imported.text());
    assert.equal((await client().threads.get(copy)).status, 'interrupted');
    assert.deepEqual(await client().runs.wait(copy, 'ten_nodes', { input: null }), values);
    assert.equal((await client().threads.get(copy)).status, 'idle');
  });
});

const Exported = z.object({
  thread: z.record(z.string(), z.unknown()),
  records: z.array(z.looseObject({ kind: z.string(), checkpoint_id: z.string().optional() })),
});
