import assert from 'node:assert/strict';
import { Assistants } from '../../../src/server/agent-server/assistants/assistants.ts';
import { AssistantStore } from '../../../src/server/agent-server/data/assistant-store.ts';
import { CheckpointStore } from '../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { type CronRow, CronStore } from '../../../src/server/agent-server/data/cron-store.ts';
import { ThreadStore } from '../../../src/server/agent-server/data/thread-store.ts';
import { isRefused } from '../../../src/server/storage/refused.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../support/deployment-database.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

const WRITERS = 8;
const each = <Made>(make: (writer: number) => Promise<Made>) =>
  Promise.all(Array.from({ length: WRITERS }, (_, writer) => make(writer)));
const keys = Object.fromEntries(Array.from({ length: WRITERS }, (_, writer) => [`by_${writer}`, writer]));

describe('writers at the same time', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  const ask = async (method: string, route: string, body?: object) => {
    const response = await fetch(`${served.url}${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
  const oneOf = [200, ...Array.from({ length: WRITERS - 1 }, () => 409)];

  it('create one thread with an ID, and the others are refused', async () => {
    const thread_id = crypto.randomUUID();
    const answers = await each((writer) => ask('POST', '/threads', { thread_id, metadata: { writer } }));
    assert.deepEqual(statuses(answers), oneOf);
    const made = answers.find(({ status }) => status === 200);
    const found = await ask('POST', '/threads/search', { ids: [thread_id], metadata: made?.json.metadata });
    assert.equal(found.json.length, 1);
  });

  it('all get the same thread for an ID if existing ones are accepted', async () => {
    const thread_id = crypto.randomUUID();
    const answers = await each((writer) =>
      ask('POST', '/threads', { thread_id, metadata: { writer }, if_exists: 'do_nothing' }),
    );
    assert.deepEqual(new Set(statuses(answers)), new Set([200]));
    assert.equal(new Set(answers.map(({ json }) => JSON.stringify(json.metadata))).size, 1);
  });

  it('create one assistant with an ID, and the others are refused', async () => {
    const assistant_id = crypto.randomUUID();
    const answers = await each(() => ask('POST', '/assistants', { assistant_id, graph_id: 'one_node' }));
    assert.deepEqual(statuses(answers), oneOf);
  });

  it('each create a version of an assistant, and lose no metadata', async () => {
    const { json: made } = await ask('POST', '/assistants', { graph_id: 'one_node' });
    const answers = await each((writer) =>
      ask('PATCH', `/assistants/${made.assistant_id}`, { metadata: { [`by_${writer}`]: writer } }),
    );
    const versions = answers.map(({ json }) => json.version).sort((a, b) => a - b);
    assert.deepEqual(
      versions,
      Array.from({ length: WRITERS }, (_, at) => at + 2),
    );
    const newest = answers.find(({ json }) => json.version === WRITERS + 1);
    assert.deepEqual(newest?.json.metadata, keys);
  });

  it('start runs of several assistants on a thread whose metadata others change, and lose nothing', async () => {
    const { json: thread } = await ask('POST', '/threads', {});
    const route = `/threads/${thread.thread_id}`;
    const [patched, runs] = await Promise.all([
      each((writer) => ask('PATCH', route, { metadata: { [`by_${writer}`]: writer } })),
      each(async () => {
        const { json } = await ask('POST', '/assistants', { graph_id: 'one_node' });
        const input = { value: 1 };
        return ask('POST', `${route}/runs/wait`, { assistant_id: json.assistant_id, input });
      }),
    ]);
    assert.deepEqual(new Set(statuses([...patched, ...runs])), new Set([200]));
    const { assistant_id, graph_id, ...metadata } = (
      await ask('POST', '/threads/search', { ids: [thread.thread_id], metadata: keys })
    ).json[0].metadata;
    assert.deepEqual(metadata, keys);
    const ofAssistant = await ask('POST', '/threads/search', { metadata: { assistant_id, graph_id } });
    assert.deepEqual(
      ofAssistant.json.map(({ thread_id }: { thread_id: string }) => thread_id),
      [thread.thread_id],
    );
  });

  it('leave a thread busy while a run is on it, though its state was updated when the run was accepted', async () => {
    const { json: thread } = await ask('POST', '/threads', {});
    const route = `/threads/${thread.thread_id}`;
    await ask('POST', `${route}/runs/wait`, { assistant_id: 'slow', input: { ms: 1 } });
    const [updates, { json: run }] = await Promise.all([
      each(() => ask('POST', `${route}/state`, { values: {} })),
      ask('POST', `${route}/runs`, { assistant_id: 'slow', input: { ms: 60_000 } }),
    ]);
    assert.ok(updates.some(({ status }) => status === 200));
    assert.equal((await ask('GET', route)).json.status, 'busy');
    await fetch(`${served.url}${route}/runs/${run.run_id}/cancel?wait=1`, { method: 'POST' });
    assert.equal((await ask('GET', route)).json.status, 'interrupted');
  });

  it('import one thread with an ID, and the others are refused', async () => {
    const { json: thread } = await ask('POST', '/threads', { metadata: { imported: true } });
    const { metadata, created_at, updated_at } = thread;
    const thread_id = crypto.randomUUID();
    const archived = { thread_id, metadata, created_at, updated_at, status: 'idle' };
    const answers = await each(() =>
      ask('POST', `/harbor/threads/${thread_id}/import`, { thread: archived, records: [], last: true }),
    );
    assert.equal(statuses(answers).filter((status) => status === 200).length, 1);
    assert.ok(statuses(answers).every((status) => status < 500));
    assert.equal((await ask('GET', `/threads/${thread_id}`)).json.status, 'idle');
  });

  it('see a thread deleted while it is copied either whole or not at all', async () => {
    const { json: thread } = await ask('POST', '/threads', { metadata: { copied: true } });
    const route = `/threads/${thread.thread_id}`;
    await ask('POST', `${route}/runs/wait`, { assistant_id: 'one_node', input: { value: 1 } });
    const copying = each(() => ask('POST', `${route}/copy`, {}));
    await fetch(`${served.url}${route}`, { method: 'DELETE' });
    for (const { status, json } of await copying) {
      if (status === 404) continue;
      assert.equal(status, 200);
      const { json: copy } = await ask('GET', `/threads/${json.thread_id}/state`);
      assert.deepEqual(copy.values, { value: 2 });
      const found = await ask('POST', '/threads/search', {
        ids: [json.thread_id],
        metadata: { copied: true },
      });
      assert.equal(found.json.length, 1);
    }
    assert.equal((await ask('POST', `${route}/copy`, {})).status, 404);
  });
});

describe('the default assistant of a graph', () => {
  it('is found by a request that comes while it is being made', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const graphs = { one_node: {} };
    const assistants = new Assistants({
      db,
      store: new AssistantStore(db, DEPLOYMENT),
      runtime: {
        project: { graphs },
        state: { state: 'ready' },
        ready: () => Promise.reject(new Error('It is ready.')),
      },
      changes: { publish: () => {} },
    });
    const meanwhile = Promise.withResolvers<void>();
    const other = db.transaction().execute(() => meanwhile.promise);
    const syncing = assistants.syncDefaults(graphs);
    const found = assistants.resolve('one_node');
    meanwhile.resolve();
    await Promise.all([other, syncing]);
    assert.equal((await found).graph_id, 'one_node');
  });
});

describe('a cron found due', () => {
  const due: CronRow = {
    cron_id: crypto.randomUUID(),
    deployment_id: DEPLOYMENT,
    assistant_id: crypto.randomUUID(),
    thread_id: null,
    schedule: '* * * * *',
    timezone: null,
    end_time: null,
    enabled: 1,
    on_run_completed: 'delete',
    payload: '{}',
    metadata: '{}',
    user_id: null,
    next_run_date: PAST,
    created_at: PAST,
    updated_at: PAST,
  };

  it('starts once, and not after it was changed or deleted', async () => {
    await using made = await deploymentDatabase();
    const store = new CronStore(made.db, DEPLOYMENT);
    const start = (seen: CronRow) => made.db.commit((unit) => store.advance(unit, seen, '2999-01-01'));
    const isGone = (error: unknown) => isRefused(error, 'gone');
    await store.insert(due);
    const [once, twice] = await Promise.allSettled([start(due), start(due)]);
    assert.equal(once.status, 'fulfilled');
    assert.ok(twice.status === 'rejected' && isGone(twice.reason));
    const change = { enabled: 0, updated_at: new Date().toISOString() };
    assert.ok(await store.update(due, change));
    assert.ok(!(await store.update(due, { enabled: 1 })));
    await assert.rejects(start(due), isGone);
    await store.delete(due.cron_id);
    await assert.rejects(start(due), isGone);
  });
});

describe('pruning a thread', () => {
  it('keeps a checkpoint that another writer stores at the same time, and its values', async () => {
    await using made = await deploymentDatabase();
    const checkpoints = new CheckpointStore(made.db);
    const threads = new ThreadStore(made.db, DEPLOYMENT);
    await made.db.commit((unit) => threads.insert(unit, threads.makeRow('t', {})));
    const put = (id: string) =>
      made.db.commit((unit) =>
        checkpoints.put(
          unit,
          {
            run_id: null,
            thread_id: 't',
            checkpoint_ns: '',
            checkpoint_id: id,
            parent_checkpoint_id: null,
            checkpoint: { type: 'json', encoding: 'utf8', data: '{}' },
            channel_versions: { value: id },
            channel_values: { value: { type: 'json', encoding: 'utf8', data: `"${id}"` } },
            metadata: {},
          },
          null,
        ),
      );
    await put('1');
    await put('2');
    await Promise.all([checkpoints.keepLatest('t'), put('3')]);
    await checkpoints.keepLatest('t');
    const left = await checkpoints.list({ thread_id: 't' });
    assert.deepEqual(
      left.map(({ checkpoint_id, channel_values }) => [checkpoint_id, channel_values.value?.data]),
      [['3', '"3"']],
    );
    const blobs = await made.db.selectFrom('checkpoint_blobs').select('version').execute();
    assert.deepEqual(
      blobs.map(({ version }) => version),
      ['3'],
    );
  });
});
