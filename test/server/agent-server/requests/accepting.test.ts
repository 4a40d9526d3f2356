import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Duplex } from 'node:stream';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

describe('accepting runs', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });
  before(async () => {
    served = await serveProject({ concurrency: 2 });
  });
  after(() => served[Symbol.asyncDispose]());

  const post = async (route: string, body: object, method = 'POST') => {
    const response = await fetch(`${served.url}${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const run = { assistant_id: 'one_node', input: { value: 1 } };

  it('creates one thread for concurrent runs with the same new thread ID', async () => {
    const thread_id = crypto.randomUUID();
    const body = { ...run, if_not_exists: 'create' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(`/threads/${thread_id}/runs/wait`, body)),
    );
    assert.deepEqual(
      answers.map(({ status, text }) => [status, text.trim()]),
      answers.map(() => [200, '{"value":2}']),
    );
    assert.equal((await client().runs.list(thread_id)).length, 4);
  });

  it('runs none of a batch when the webhook of one is refused, and names that one', async () => {
    const metadata = { batch: crypto.randomUUID() };
    const kept = { ...run, metadata, on_completion: 'keep' };
    const batch = [kept, { ...kept, webhook: `${served.url}/hook` }];
    const { status, text } = await post('/runs/batch', batch);
    assert.equal(status, 422);
    assert.deepEqual(await client().threads.search({ metadata }), []);
    assert.deepEqual(JSON.parse(text).detail[0].loc, ['body', 1, 'webhook']);
  });

  it('hands a run to its graphs before it answers', async () => {
    const { thread_id } = await client().threads.create();
    const { write } = Duplex.prototype;
    const written: string[] = [];
    Reflect.set(Duplex.prototype, 'write', function (this: Duplex, ...given: unknown[]) {
      const text = String(given[0]);
      if (text.includes('"method":"run.execute"')) written.push('run');
      if (/^HTTP.*text\/event-stream/s.test(text)) written.push('answer');
      return Reflect.apply(write, this, given);
    });
    try {
      const { status, text } = await post(`/threads/${thread_id}/runs/stream`, run);
      assert.equal(status, 200);
      assert.match(text, /event: values/);
    } finally {
      Duplex.prototype.write = write;
    }
    assert.deepEqual(written, ['run', 'answer']);
  });

  it('shows runs to followers of a thread in the order they start, delayed ones later', async () => {
    const { thread_id } = await client().threads.create();
    const gone = new AbortController();
    const followed = client().threads.joinStream(thread_id, {
      lastEventId: '-',
      streamMode: ['lifecycle'],
      signal: gone.signal,
    });
    const later = await client().runs.create(thread_id, 'one_node', { input: { value: 1 }, afterSeconds: 6 });
    const first = await client().runs.create(thread_id, 'one_node', { input: { value: 1 } });
    const second = await client().runs.create(thread_id, 'one_node', { input: { value: 1 } });
    const ended: unknown[] = [];
    for await (const { data } of followed) {
      const { status, run_id } = data as { status?: string; run_id?: string };
      if (status === 'run_done') ended.push(run_id);
      if (ended.length === 3) break;
    }
    gone.abort();
    assert.deepEqual(
      ended,
      [first, second, later].map(({ run_id }) => run_id),
    );
  });

  it('ends the streams of a thread when the thread is deleted', async () => {
    const { thread_id } = await client().threads.create();
    const followed = await fetch(`${served.url}/threads/${thread_id}/stream`);
    assert.equal(followed.status, 200);
    const ended = followed.text();
    assert.equal((await post(`/threads/${thread_id}`, {}, 'DELETE')).status, 204);
    await ended;
  });

  it('refuses to create a thread with the ID of another deployment’s thread', async () => {
    const thread_id = crypto.randomUUID();
    const state = new DatabaseSync(path.join(served.dataDir, 'state.db'));
    const other = crypto.randomUUID();
    const columns = `workspace_id, name, source, source_config, source_revision_config, status, latest_revision_id,
      active_revision_id, port, config_path, created_at, updated_at`;
    state
      .prepare(`INSERT INTO deployments (id, ${columns.replace('name', 'name')})
        SELECT ?, ${columns.replace('name', `'other'`).replace('config_path', 'NULL').replace('port', 'NULL')} FROM deployments LIMIT 1`)
      .run(other);
    state
      .prepare(`INSERT INTO threads (thread_id, deployment_id, status, metadata, config, interrupts, created_at, updated_at, run_count)
        VALUES (?, ?, 'idle', '{}', '{}', '{}', '', '', 0)`)
      .run(thread_id, other);
    const answer = await post(`/threads/${thread_id}/runs/wait`, { ...run, if_not_exists: 'create' });
    state.prepare('DELETE FROM deployments WHERE id = ?').run(other);
    state.close();
    assert.equal(answer.status, 409, answer.text);
  });

  it('treats a thread that is deleted during the request as missing, and continues with others', async () => {
    for (let round = 0; round < 10; round++) {
      const { thread_id } = await client().threads.create();
      const [accepted, deleted] = await Promise.all([
        post(`/threads/${thread_id}/runs`, run),
        post(`/threads/${thread_id}`, {}, 'DELETE'),
      ]);
      assert.ok([200, 404].includes(accepted.status), accepted.text);
      assert.equal(deleted.status, 204);
    }
    const waited = await Promise.all([1, 2, 3].map(() => post('/runs/wait', run)));
    assert.deepEqual(
      waited.map(({ text }) => text.trim()),
      waited.map(() => '{"value":2}'),
    );
  });

  it('lets no delayed run block others of its thread', async () => {
    const { thread_id } = await client().threads.create();
    const later = await client().runs.create(thread_id, 'one_node', {
      input: { value: 5 },
      afterSeconds: 600,
    });
    assert.deepEqual(await client().runs.wait(thread_id, 'one_node', { input: { value: 1 } }), { value: 2 });
    assert.equal((await client().runs.get(thread_id, later.run_id)).status, 'pending');
    await client().runs.cancel(thread_id, later.run_id, true);
    await eventually(
      'the thread is free',
      async () => (await client().threads.get(thread_id)).status === 'idle',
    );
  });

  it('cancels runs on threads that are deleted with their assistant', async () => {
    const { assistant_id } = await client().assistants.create({ graphId: 'slow' });
    const { thread_id } = await client().threads.create();
    const { run_id } = await client().runs.create(thread_id, assistant_id, { input: { ms: 30_000 } });
    const events = client().runs.joinStream(thread_id, run_id);
    const deleted = post(`/assistants/${assistant_id}?delete_threads=true`, {}, 'DELETE');
    for await (const _ of events);
    assert.equal((await deleted).status, 204);
    await assert.rejects(client().threads.get(thread_id), /404/);
  });

  it('leaves no thread busy when its graph is removed and its run rolled back', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'slow', { input: { ms: 1 } });
    const { run_id } = await client().runs.create(thread_id, 'slow', { input: { ms: 30_000 } });
    const file = path.join(served.project.folder, 'langgraph.json');
    const before = await readFile(file, 'utf8');
    const { graphs, ...rest } = JSON.parse(before) as { graphs: Record<string, string> };
    const { slow: _, ...others } = graphs;
    try {
      await writeFile(file, JSON.stringify({ ...rest, graphs: others }));
      await eventually(
        'the graph is gone',
        async () => (await fetch(`${served.url}/assistants/slow`)).status === 404,
      );
      await client().runs.cancel(thread_id, run_id, true, 'rollback');
      assert.equal((await client().threads.get(thread_id)).status, 'idle');
    } finally {
      await writeFile(file, before);
      await eventually(
        'the graph is back',
        async () => (await fetch(`${served.url}/assistants/slow`)).status === 200,
      );
    }
  });

  it('leaves nothing of a run that is rolled back, even if its last checkpoint comes after its end', async () => {
    const { threads, runs } = client();
    const { thread_id } = await threads.create();
    await runs.wait(thread_id, 'slow', { input: { ms: 1 } });
    const before = (await threads.getHistory(thread_id)).length;
    // In each round, there is about a one-in-three chance that the last checkpoint comes after the run's end.
    for (let round = 0; round < 12; round++) {
      const { run_id } = await runs.create(thread_id, 'slow', { input: { ms: 20_000 } });
      await runs.cancel(thread_id, run_id, true, 'rollback');
    }
    // Late rows are there by now, before the checkpoints of the next run.
    await runs.wait(thread_id, 'slow', { input: { ms: 1 } });
    const { values } = await threads.getState(thread_id);
    assert.deepEqual(values, { ms: 1, log: 'worked' });
    assert.equal((await threads.getHistory(thread_id)).length, 2 * before);
  });
});
