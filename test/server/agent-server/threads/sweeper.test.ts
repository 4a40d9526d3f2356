import assert from 'node:assert/strict';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import type { CheckpointPutParams } from '../../../../src/runtime/protocol/protocol.ts';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { ItemStore } from '../../../../src/server/agent-server/data/items/item-store.ts';
import { ThreadSearches } from '../../../../src/server/agent-server/data/thread-search.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { Sweeper } from '../../../../src/server/agent-server/threads/sweeper.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../../support/deployment-database.ts';

const FUTURE = '2999-01-01T00:00:00.000Z';

async function parts({ onChange }: { onChange?: (id: string) => void } = {}) {
  const made = await deploymentDatabase();
  const { db } = made;
  const threads = new ThreadStore(db, DEPLOYMENT);
  const checkpoints = new CheckpointStore(db);
  const items = new ItemStore(db, DEPLOYMENT);
  const changed: string[] = [];
  const log = new LogBook();
  const sweeper = new Sweeper({
    db,
    threads,
    checkpoints,
    items,
    live: { onThread: () => [] },
    log,
    settings: () => ({ threadsEveryMinutes: 5, maxThreads: 1000, itemsEveryMinutes: 5 }),
    onThreadChange: (action, id) => {
      changed.push(`${action} ${id}`);
      onChange?.(id);
    },
  });
  const add = (
    id: string,
    ttl_strategy: 'delete' | 'keep_latest',
    expires_at: string,
    status: 'idle' | 'busy' = 'idle',
  ) => {
    const row = { ...threads.makeRow(id, {}), ttl_strategy, ttl_minutes: 5, expires_at, status };
    return db.commit((unit) => threads.insert(unit, row));
  };
  return {
    db,
    threads,
    checkpoints,
    items,
    sweeper,
    log,
    changed,
    add,
    async [Symbol.asyncDispose]() {
      await sweeper.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

const text = (data: string) => ({ type: 'json', encoding: 'utf8' as const, data });

describe('the sweeper', () => {
  it('deletes only expired threads', async () => {
    await using at = await parts();
    await at.add('gone', 'delete', PAST);
    await at.add('later', 'delete', FUTURE);
    await at.add('in use', 'delete', PAST, 'busy');
    await at.sweeper.sweep();
    const left = await at.db.selectFrom('threads').select('thread_id').orderBy('thread_id').execute();
    assert.deepEqual(
      left.map(({ thread_id }) => thread_id),
      ['in use', 'later'],
    );
    assert.deepEqual(at.changed, ['deleted gone']);
    assert.equal(await new ThreadSearches(at.db, DEPLOYMENT).count({ metadata: {}, values: {} }), 2);
  });

  it('keeps a thread whose time to live was extended while others were being deleted', async () => {
    let extended: Promise<unknown> | undefined;
    await using at = await parts({
      onChange: (id) => {
        if (id !== '1') return;
        const later = at.db.updateTable('threads').set({ expires_at: FUTURE }).where('thread_id', '=', '2');
        extended = later.execute();
      },
    });
    for (const id of ['1', '2', '3']) await at.add(id, 'delete', PAST);
    await at.sweeper.sweep();
    await extended;
    assert.deepEqual(at.changed, ['deleted 1', 'deleted 3']);
    assert.equal((await at.threads.find('2'))?.expires_at, FUTURE);
  });

  it('keeps only the newest state of threads with keep_latest', async () => {
    await using at = await parts();
    await at.add('kept', 'keep_latest', PAST);
    // The clock was set back between the two.
    for (const [id, version] of [
      ['3', 'a'],
      ['2', 'b'],
    ] as const) {
      const checkpoint: CheckpointPutParams = {
        run_id: null,
        thread_id: 'kept',
        checkpoint_ns: '',
        checkpoint_id: id,
        parent_checkpoint_id: null,
        checkpoint: text('{}'),
        channel_versions: { value: version },
        channel_values: { value: text(`"${version}"`) },
        metadata: {},
      };
      await at.db.commit((unit) => at.checkpoints.put(unit, checkpoint, null));
    }
    await at.sweeper.sweep();
    const left = await at.checkpoints.list({ thread_id: 'kept' });
    assert.deepEqual(
      left.map(({ checkpoint_id, channel_values }) => [checkpoint_id, channel_values.value?.data]),
      [['2', '"b"']],
    );
    const blobs = await at.db.selectFrom('checkpoint_blobs').select('version').execute();
    assert.deepEqual(
      blobs.map(({ version }) => version),
      ['b'],
    );
    assert.equal((await at.threads.find('kept'))?.expires_at, null);
  });

  it('keeps the checkpoints that the newest state of such threads is rebuilt from', async () => {
    await using at = await parts();
    await at.add('kept', 'keep_latest', PAST);
    // Each writes to a channel that is stored every third time.
    for (const id of ['1', '2', '3', '4', '5']) {
      const place = { run_id: null, thread_id: 'kept', checkpoint_ns: '', checkpoint_id: id };
      const stored = id === '3';
      const checkpoint: CheckpointPutParams = {
        ...place,
        parent_checkpoint_id: id === '1' ? null : String(Number(id) - 1),
        checkpoint: text('{}'),
        channel_versions: stored ? { log: id } : {},
        channel_values: stored ? { log: text('"1 2 3"') } : {},
        metadata: stored ? {} : { counters_since_delta_snapshot: { log: [1, 1] } },
      };
      const write = { task_id: id, index: 0, channel: 'log', value: text(id) };
      await at.db.commit((unit) => {
        at.checkpoints.put(unit, checkpoint, null);
        at.checkpoints.putWrites(unit, { ...place, writes: [write] });
      });
    }
    await at.sweeper.sweep();
    const left = await at.checkpoints.list({ thread_id: 'kept' });
    assert.deepEqual(
      left.map(({ checkpoint_id, pending_writes }) => [checkpoint_id, pending_writes[0]?.value.data]),
      [
        ['5', '5'],
        ['4', '4'],
        ['3', '3'],
      ],
    );
    assert.equal(left[2]?.channel_values.log?.data, '"1 2 3"');
  });

  it('deletes the events of runs some time after their end', async () => {
    await using at = await parts();
    await at.add('thread', 'delete', FUTURE);
    for (const [run_id, events_expire_at] of [
      ['old', PAST],
      ['new', FUTURE],
      ['running', null],
    ] as const) {
      await at.db
        .insertInto('runs')
        .values({
          run_id,
          thread_id: 'thread',
          deployment_id: DEPLOYMENT,
          assistant_id: 'a',
          graph_id: 'g',
          status: events_expire_at === null ? 'running' : 'success',
          metadata: '{}',
          kwargs: '{}',
          multitask_strategy: 'enqueue',
          stateless: 0,
          lease_owner: null,
          lease_expires_at: null,
          start_after: null,
          error: null,
          cancel_reason: null,
          events_expire_at,
          created_at: PAST,
          updated_at: PAST,
        })
        .execute();
      await at.db
        .insertInto('run_events')
        .values({ run_id, first_seq: 1, last_seq: 1, events: '[["values","{}"]]' })
        .execute();
    }
    await at.sweeper.sweep();
    const left = await at.db.selectFrom('run_events').select('run_id').orderBy('run_id').execute();
    assert.deepEqual(
      left.map(({ run_id }) => run_id),
      ['new', 'running'],
    );
  });

  it('goes on after a thread that cannot be deleted, and logs it', async () => {
    await using at = await parts({
      onChange: (id) => {
        if (id === 'b') throw new Error('no such listener');
      },
    });
    for (const id of ['a', 'b', 'c']) await at.add(id, 'delete', PAST);
    await at.sweeper.sweep();
    assert.deepEqual(at.changed, ['deleted a', 'deleted b', 'deleted c']);
    assert.match(
      at.log.lines.map(({ message }) => message).join('\n'),
      /thread b could not be deleted or shortened.*no such listener/i,
    );
  });

  it('stops at once while the database cannot be reached', async () => {
    await using at = await parts({
      onChange: () => {
        throw new DatabaseUnreachable();
      },
    });
    for (const id of ['a', 'b']) await at.add(id, 'delete', PAST);
    await assert.rejects(at.sweeper.sweep(), DatabaseUnreachable);
    assert.deepEqual(at.changed, ['deleted a']);
  });

  it('deletes items that have expired', async () => {
    await using at = await parts();
    await at.items.put({ op: 'put', namespace: ['a'], key: 'stays', value: { a: 1 } });
    await at.items.put({ op: 'put', namespace: ['a'], key: 'goes', value: { a: 1 }, ttl: 1 });
    await at.db.updateTable('store_items').set({ expires_at: PAST }).where('key', '=', 'goes').execute();
    assert.equal(await at.items.get(['a'], 'goes', false), null);
    await at.sweeper.sweep();
    const left = await at.db.selectFrom('store_items').select('key').execute();
    assert.deepEqual(
      left.map(({ key }) => key),
      ['stays'],
    );
  });
});
