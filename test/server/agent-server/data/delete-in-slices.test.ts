import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { deleteContents, deleteEvents } from '../../../../src/server/agent-server/data/delete-in-slices.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { isRefused, Refused } from '../../../../src/server/storage/refused.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../../support/deployment-database.ts';

const ROWS = 600;
/** Two slices may be deleted between two samples. */
const MAX_CHANGES = 125;
const TABLES = [
  'checkpoints',
  'checkpoint_writes',
  'checkpoint_blobs',
  'exchanges',
  'exchange_parts',
  'run_events',
] as const;

const ROOT = { thread_id: 't', checkpoint_ns: '' };
const numbers = Array.from({ length: ROWS }, (_, index) => index);
const name = (index: number) => String(index).padStart(6, '0');

/** A thread with many checkpoints, and a run of it with many rows of events and a long recording. */
async function addThread(db: StateDatabase, threadId: string, runId: string, status: 'success' | 'running') {
  const threads = new ThreadStore(db, DEPLOYMENT);
  const of = { thread_id: threadId, checkpoint_ns: '' };
  const data = { type: 'json', data: Buffer.from('{}') };
  await db.commit((unit) => {
    threads.insert(unit, threads.makeRow(threadId, {}));
    unit.do(
      unit.build.insertInto('runs').values({
        run_id: runId,
        thread_id: threadId,
        deployment_id: DEPLOYMENT,
        assistant_id: 'a',
        graph_id: 'g',
        status,
        metadata: '{}',
        kwargs: '{}',
        multitask_strategy: 'enqueue',
        stateless: 0,
        created_at: PAST,
        updated_at: PAST,
      }),
    );
    const first = { ...of, ...data, channel: 'first', version: name(0) };
    unit.do(unit.build.insertInto('checkpoint_blobs').values(first));
    for (const index of numbers) {
      const checkpoint_id = name(index);
      const channel_versions = JSON.stringify({ c: checkpoint_id, first: name(0) });
      const { build } = unit;
      unit.do(
        build.insertInto('checkpoints').values({
          ...{ ...of, ...data, checkpoint_id, seq: index, created_at: PAST },
          ...{ channel_versions, metadata: '{}' },
        }),
      );
      unit.do(
        build
          .insertInto('checkpoint_writes')
          .values({ ...of, ...data, checkpoint_id, task_id: 't', index: 0, task_path: '', channel: 'c' }),
      );
      unit.do(
        build.insertInto('checkpoint_blobs').values({ ...of, ...data, channel: 'c', version: checkpoint_id }),
      );
      unit.do(
        build
          .insertInto('run_events')
          .values({ run_id: runId, first_seq: index, last_seq: index, events: '[]' }),
      );
      const recorded = { thread_id: threadId, run_id: runId, ordinal: index, data: '{}' };
      unit.do(build.insertInto('exchanges').values({ ...recorded, hash: 'h', node: 'n', task: '' }));
      unit.do(build.insertInto('exchange_parts').values({ ...recorded, part: 0 }));
    }
  }, threadId);
}

/** The maximum number of rows that changed between two turns of the event loop. */
async function mostChangesAtOnce(db: StateDatabase, work: Promise<void>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  let before: number | undefined;
  let most = 0;
  while (!isDone) {
    const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
    const changes = rows[0]?.changes ?? 0;
    most = Math.max(most, changes - (before ?? changes));
    before = changes;
    await turn();
  }
  await ended;
  return most;
}

async function countRows(db: StateDatabase): Promise<number[]> {
  const counts = TABLES.map((table) =>
    db.selectFrom(table).select(sql<number>`count(*)`.as('rows')).execute(),
  );
  return (await Promise.all(counts)).map(([count]) => Number(count?.rows));
}

describe('deleting many rows', () => {
  it('of a thread leaves no checkpoints, at most a slice of other tables, and serves others in between', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 't', 'r', 'success');
    const most = await mostChangesAtOnce(db, deleteContents(db, 't'));
    assert.ok(most > 0 && most <= MAX_CHANGES, `${most} rows at once`);
    const [checkpoints, ...others] = await countRows(db);
    assert.equal(checkpoints, 0);
    for (const left of others) assert.ok(left > 0 && left <= 50, `${left} rows are left`);
    await db.deleteFrom('threads').execute();
    assert.deepEqual(await countRows(db), [0, 0, 0, 0, 0, 0]);
  });

  it('of a thread always leaves a state that the thread once had, or none', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 't', 'r', 'success');
    const checkpoints = new CheckpointStore(db);
    const states: (string | null)[] = [];
    const commit = db.commit.bind(db);
    db.commit = async (write, subject) => {
      await commit(write, subject);
      const newest = await checkpoints.get(ROOT);
      states.push(newest?.checkpoint_id ?? null);
      if (newest === null) return;
      assert.deepEqual(Object.keys(newest.channel_values).toSorted(), ['c', 'first'], newest.checkpoint_id);
      assert.equal(newest.pending_writes.length, 1, newest.checkpoint_id);
      const root = await checkpoints.get({ ...ROOT, checkpoint_id: name(0) });
      assert.ok(root !== null, 'the ancestors, from which LangGraph may rebuild values, are there');
    };
    await deleteContents(db, 't');
    assert.ok(new Set(states).size > 10);
    assert.equal(states.at(-1), null);
  });

  it('of a thread first forgets its values, and lets it expire if the deletion does not end', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 't', 'r', 'success');
    await db.updateTable('threads').set({ values: '{"c":"newest"}', status: 'interrupted' }).execute();
    const checkpoints = new CheckpointStore(db);
    const newest = (await checkpoints.get(ROOT))?.checkpoint_id;
    let isOlder = false;
    const commit = db.commit.bind(db);
    db.commit = async (write, subject) => {
      await commit(write, subject);
      isOlder ||= (await checkpoints.get(ROOT))?.checkpoint_id !== newest;
      if (!isOlder) return;
      const thread = await db.selectFrom('threads').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual(
        [thread.values, thread.status, thread.ttl_strategy, thread.expires_at !== null],
        [null, 'idle', 'delete', true],
      );
    };
    await deleteContents(db, 't');
    assert.ok(isOlder);
  });

  it('of a thread makes no copies of what is left, and copies of threads that expire as usual', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const threads = new ThreadStore(db, DEPLOYMENT);
    await addThread(db, 't', 'r', 'success');
    await db.commit((unit) => {
      for (const [id, ttl_strategy] of [
        ['expiring', 'delete'],
        ['pruned', 'keep_latest'],
      ] as const)
        threads.insert(unit, { ...threads.makeRow(id, {}), ttl_strategy, ttl_minutes: 5, expires_at: PAST });
      threads.insert(unit, threads.makeRow('kept', {}));
    });
    const commit = db.commit.bind(db);
    const copy = (from: string) => commit((unit) => threads.copy(unit, from, crypto.randomUUID()));
    const refusals: unknown[] = [];
    db.commit = async (write, subject) => {
      await commit(write, subject);
      const { rows } =
        await sql`select 1 from threads where thread_id = 't' and expires_at is not null`.execute(db);
      if (rows.length > 0) await copy('t').catch((error: unknown) => refusals.push(error));
    };
    await deleteContents(db, 't');
    assert.ok(refusals.length > 0);
    for (const refusal of refusals) assert.ok(isRefused(refusal, 'gone'), String(refusal));
    assert.equal((await db.selectFrom('threads').select('thread_id').execute()).length, 4);
    for (const id of ['expiring', 'pruned', 'kept']) await copy(id);
  });

  it('of a thread that is copied all the time is given up, and says what has happened', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 't', 'r', 'success');
    const checkpoints = new CheckpointStore(db);
    const newest = (await checkpoints.get(ROOT))?.checkpoint_id;
    const commit = db.commit.bind(db);
    db.commit = async (write, subject) => {
      if ((await checkpoints.get(ROOT))?.checkpoint_id !== newest) throw new Refused('stale');
      await commit(write, subject);
    };
    await assert.rejects(deleteContents(db, 't'), /It may be partly deleted. Try again\./);
  });

  it('of a thread leaves the events of runs that have not ended, and other threads', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 'gone', 'r1', 'running');
    await addThread(db, 'other', 'r2', 'success');
    await deleteContents(db, 'gone');
    const events = await db.selectFrom('run_events').select('run_id').where('run_id', '=', 'r1').execute();
    assert.equal(events.length, ROWS);
    for (const left of await countRows(db)) assert.ok(left >= ROWS);
  });

  it('of a run’s events leaves its thread’s state', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    await addThread(db, 't', 'r', 'success');
    const most = await mostChangesAtOnce(db, deleteEvents(db, 'r', 't'));
    assert.ok(most > 0 && most <= MAX_CHANGES, `${most} rows at once`);
    assert.deepEqual(await countRows(db), [ROWS, ROWS, ROWS + 1, ROWS, ROWS, 50]);
  });
});
