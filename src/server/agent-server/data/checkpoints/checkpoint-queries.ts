import { type Expression, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { elementOf, rowsOf } from '../../../storage/dialect-expressions.ts';
import { PreparedInsert } from '../../../storage/prepared-insert.ts';
import { PreparedQuery, type ValueOf } from '../../../storage/prepared-query.ts';
import type {
  CheckpointBlobTable,
  CheckpointTable,
  CheckpointWriteTable,
  HistoryTable,
  StateSchema,
} from '../../../storage/state-schema.ts';

// These queries are prepared, because most of them are made in every superstep.

export type CheckpointRow = Selectable<CheckpointTable>;
/** The part of another thread's history that a copy reads. */
export type BaseRow = Pick<Selectable<HistoryTable>, 'base_id' | 'base_copies' | 'shared_seq'>;
type NullableRow<Row> = { [Column in keyof Row]: Row[Column] | null };
type Key = Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns'>;

/** Stores values of channels. A version that is already stored is not changed. */
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

/** Stores a checkpoint after all others of its thread, or replaces it; an existing one keeps its position. */
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
      seq: nextPosition(db, value),
    })
    .onConflict((conflict) =>
      conflict.columns(['thread_id', 'checkpoint_ns', 'checkpoint_id']).doUpdateSet(row),
    );
});

/**
 * The position of a new checkpoint: that of the same checkpoint in a copy's base, otherwise after all
 * checkpoints that the thread has or shares.
 */
function nextPosition(db: Kysely<StateSchema>, value: ValueOf<Key & Pick<CheckpointRow, 'checkpoint_id'>>) {
  const own = db
    .selectFrom('checkpoints')
    .select(({ fn }) => [fn.max('seq').as('last'), sql<number | null>`null`.as('same')])
    .where('thread_id', '=', value('thread_id'));
  const shared = db
    .selectFrom('histories')
    .leftJoin('checkpoints as shared', (join) =>
      join
        .onRef('shared.thread_id', '=', 'histories.base_id')
        .on('shared.checkpoint_ns', '=', value('checkpoint_ns'))
        .on('shared.checkpoint_id', '=', value('checkpoint_id'))
        .onRef('shared.seq', '<=', 'histories.shared_seq'),
    )
    .select(['histories.shared_seq as last', 'shared.seq as same'])
    .where('histories.thread_id', '=', value('thread_id'));
  return db
    .selectFrom(own.unionAll(shared).as('positions'))
    .select(sql<number>`coalesce(max(same), coalesce(max(last), 0) + 1)`.as('next'));
}

type WriteRow = Omit<Insertable<CheckpointWriteTable>, 'after_copies'>;

/** Inserts writes; the first of two writes to the same place counts. */
export const insertWrites = new PreparedInsert<WriteRow>((db, rows) =>
  db
    .insertInto('checkpoint_writes')
    .values(rows.map((value) => ({ ...placeOfWrite(value), ...contentOfWrite(value) })))
    .onConflict((conflict) => conflict.doNothing()),
);

/** Inserts or replaces a write; the last of two writes to the same place counts. */
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
    after_copies: sql<number>`coalesce((select copies from histories where thread_id = ${value('thread_id')}), 0)`,
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

/**
 * A thread's own newest checkpoint, and the part of another thread that it reads. Every stored thread has one
 * row, with nulls if it has no checkpoint.
 */
export const newestOwnCheckpoint = new PreparedQuery<Key, Partial<BaseRow> & NullableRow<CheckpointRow>>(
  (db, value) =>
    db
      .selectFrom('threads')
      .leftJoin('histories', 'histories.thread_id', 'threads.thread_id')
      .leftJoin('checkpoints as own', (join) =>
        join
          .on('own.thread_id', '=', value('thread_id'))
          .on('own.checkpoint_ns', '=', value('checkpoint_ns'))
          .on('own.seq', '=', ({ selectFrom }) =>
            selectFrom('checkpoints')
              .select(({ fn }) => fn.max('seq').as('seq'))
              .where('thread_id', '=', value('thread_id'))
              .where('checkpoint_ns', '=', value('checkpoint_ns')),
          ),
      )
      .selectAll('own')
      .select(['histories.base_id', 'histories.base_copies', 'histories.shared_seq'])
      .where('threads.thread_id', '=', value('thread_id')),
);

/** The newest checkpoint of a namespace up to a position. */
export const newestUpTo = new PreparedQuery<Key & { seq: number }, CheckpointRow>((db, value) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('thread_id', '=', value('thread_id'))
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .where('seq', '<=', value('seq'))
    .orderBy('seq', 'desc')
    // If the limit were a parameter, SQLite would plan the query again each time that it runs.
    .limit(sql.lit(1)),
);

/** The ID of the newest of a thread's own checkpoints in a namespace. */
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

/** The newest checkpoints of a namespace up to a position, newest first. */
export const newestCheckpoints = new PreparedQuery<Key & { seq: number; limit: number }, CheckpointRow>(
  (db, value) =>
    db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', value('thread_id'))
      .where('checkpoint_ns', '=', value('checkpoint_ns'))
      .where('seq', '<=', value('seq'))
      .orderBy('seq', 'desc')
      .limit(value('limit')),
);

/** One of a thread's own checkpoints. */
export const oneCheckpoint = new PreparedQuery<Key & Pick<CheckpointRow, 'checkpoint_id'>, CheckpointRow>(
  (db, value) =>
    db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', value('thread_id'))
      .where('checkpoint_ns', '=', value('checkpoint_ns'))
      .where('checkpoint_id', '=', value('checkpoint_id')),
);

/**
 * The checkpoint that a thread's task ran from, if the task wrote something.
 * @param base_id the thread whose rows are also read.
 * @param copies a write of the base is read if the base had at most this number of copies when the write was
 * made.
 */
export const checkpointOfTask = new PreparedQuery<
  Key & { task_id: string; base_id: string; copies: number },
  Pick<CheckpointRow, 'checkpoint_id'>
>((db, value) =>
  db
    .selectFrom('checkpoint_writes')
    .select('checkpoint_id')
    .where((of) =>
      of.or([
        of('thread_id', '=', value('thread_id')),
        of.and([of('thread_id', '=', value('base_id')), of('after_copies', '<=', value('copies'))]),
      ]),
    )
    .where('checkpoint_ns', '=', value('checkpoint_ns'))
    .where('task_id', '=', value('task_id'))
    .limit(sql.lit(1)),
);

/**
 * Rows of the wanted keys, which are passed as JSON, so that one prepared query works for any number of them.
 */
const wantedKeys = (json: Expression<string>) => rowsOf(json, 'wanted');
const part = (at: number) => elementOf('wanted', at);

/** The stored values of channel versions. @param wanted a JSON list of `[namespace, channel, version]`. */
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

/** The writes of the tasks of checkpoints. @param wanted a JSON list of `[namespace, checkpoint]`. */
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
