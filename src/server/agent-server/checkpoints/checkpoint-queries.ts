import { type Expression, type Insertable, type Selectable, sql } from 'kysely';
import { PreparedInsert } from '../../storage/prepared-insert.ts';
import { PreparedQuery, type ValueOf } from '../../storage/prepared-query.ts';
import type {
  CheckpointBlobTable,
  CheckpointTable,
  CheckpointWriteTable,
} from '../../storage/state-schema.ts';
import { elementOf, rowsOf } from '../../storage/words.ts';

/** The queries of checkpoints that every superstep makes. */

export type CheckpointRow = Selectable<CheckpointTable>;
type Key = Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns'>;

export const insertBlobs = new PreparedInsert<Insertable<CheckpointBlobTable>>((db, rows) =>
  db
    .insertInto('checkpoint_blobs')
    .values(
      rows.map((value) => ({
        thread_id: value('thread_id'),
        checkpoint_ns: value('checkpoint_ns'),
        channel: value('channel'),
        version: value('version'),
        type: value('type'),
        data: value('data'),
      })),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** Stores a checkpoint after all others of its thread; an existing one keeps its position. */
export const insertCheckpoint = new PreparedQuery<Omit<Insertable<CheckpointTable>, 'seq'>>((db, value) => {
  const row = {
    parent_checkpoint_id: value('parent_checkpoint_id'),
    run_id: value('run_id'),
    type: value('type'),
    data: value('data'),
    channel_versions: value('channel_versions'),
    metadata: value('metadata'),
    events_before: value('events_before'),
  };
  return db
    .insertInto('checkpoints')
    .values({
      thread_id: value('thread_id'),
      checkpoint_ns: value('checkpoint_ns'),
      checkpoint_id: value('checkpoint_id'),
      ...row,
      created_at: value('created_at'),
      seq: db
        .selectFrom('checkpoints')
        .select(sql<number>`coalesce(max(seq), 0) + 1`.as('next'))
        .where('thread_id', '=', value('thread_id')),
    })
    .onConflict((conflict) =>
      conflict.columns(['thread_id', 'checkpoint_ns', 'checkpoint_id']).doUpdateSet(row),
    );
});

type WriteRow = Insertable<CheckpointWriteTable>;

/** Of two writes to the same place, the first counts. */
export const insertWrites = new PreparedInsert<WriteRow>((db, rows) =>
  db
    .insertInto('checkpoint_writes')
    .values(rows.map((value) => ({ ...placeOfWrite(value), ...contentOfWrite(value) })))
    .onConflict((conflict) => conflict.doNothing()),
);

/** Of two writes to the same place, the last counts. */
export const replaceWrite = new PreparedQuery<WriteRow>((db, value) =>
  db
    .insertInto('checkpoint_writes')
    .values({ ...placeOfWrite(value), ...contentOfWrite(value) })
    .onConflict((conflict) =>
      conflict
        .columns(['thread_id', 'checkpoint_ns', 'checkpoint_id', 'task_id', 'index'])
        .doUpdateSet(contentOfWrite(value)),
    ),
);

function placeOfWrite(value: ValueOf<WriteRow>) {
  return {
    thread_id: value('thread_id'),
    checkpoint_ns: value('checkpoint_ns'),
    checkpoint_id: value('checkpoint_id'),
    task_id: value('task_id'),
    index: value('index'),
  };
}

function contentOfWrite(value: ValueOf<WriteRow>) {
  return {
    task_path: value('task_path'),
    channel: value('channel'),
    type: value('type'),
    data: value('data'),
  };
}

export const newestCheckpoint = new PreparedQuery<Key, CheckpointRow>((db, value) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('thread_id', '=', value('thread_id'))
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .orderBy('seq', 'desc')
    // SQLite plans a query again at every run in which a limit is given as a value.
    .limit(sql.lit(1)),
);

export const newestCheckpointId = new PreparedQuery<Key, Pick<CheckpointRow, 'checkpoint_id'>>((db, value) =>
  db
    .selectFrom('checkpoints')
    .select('checkpoint_id')
    .where('thread_id', '=', value('thread_id'))
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
);

/** The last checkpoint of a namespace that a run has made. */
export const lastCheckpointOfRun = new PreparedQuery<
  Key & { run_id: string },
  Pick<CheckpointRow, 'checkpoint_id'>
>((db, value) =>
  db
    .selectFrom('checkpoints')
    .select('checkpoint_id')
    .where('run_id', '=', value('run_id'))
    .where('thread_id', '=', value('thread_id'))
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
);

export const newestCheckpoints = new PreparedQuery<Key & { limit: number }, CheckpointRow>((db, value) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('thread_id', '=', value('thread_id'))
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .orderBy('seq', 'desc')
    .limit(value('limit')),
);

export const oneCheckpoint = new PreparedQuery<Key & Pick<CheckpointRow, 'checkpoint_id'>, CheckpointRow>(
  (db, value) =>
    db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', value('thread_id'))
      .where('checkpoint_ns', '=', value('checkpoint_ns'))
      .where('checkpoint_id', '=', value('checkpoint_id')),
);

/** The wanted keys as JSON, so that one prepared query works for any number. Each is looked up by its full key. */
const wantedKeys = (json: Expression<string>) => rowsOf(json, 'wanted');
const part = (at: number) => elementOf('wanted', at);

/** @param wanted `[namespace, channel, version]` each. */
export const blobsOf = new PreparedQuery<
  { thread_id: string; wanted: string },
  Selectable<CheckpointBlobTable>
>((db, value) =>
  db
    .selectFrom(wantedKeys(value('wanted')))
    .crossJoin('checkpoint_blobs as blob')
    .selectAll('blob')
    .where('blob.thread_id', '=', value('thread_id'))
    .where('blob.checkpoint_ns', '=', part(0))
    .where('blob.channel', '=', part(1))
    .where('blob.version', '=', part(2)),
);

/** @param wanted `[namespace, checkpoint]` each. */
export const writesOf = new PreparedQuery<
  { thread_id: string; wanted: string },
  Selectable<CheckpointWriteTable>
>((db, value) =>
  db
    .selectFrom(wantedKeys(value('wanted')))
    .crossJoin('checkpoint_writes as write')
    .selectAll('write')
    .where('write.thread_id', '=', value('thread_id'))
    .where('write.checkpoint_ns', '=', part(0))
    .where('write.checkpoint_id', '=', part(1))
    .orderBy('write.task_id')
    .orderBy('write.index'),
);
