import { setImmediate as turn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { StateDatabase } from '../../storage/state-database.ts';
import { isNotShared, releaseCopies } from './checkpoints/shared-rows.ts';
import { lookAndWrite } from './look-and-write.ts';
import { BEING_DELETED } from './thread-queries.ts';

/** Rows per transaction. Deleting this many rows of events, with 64 KB each, takes 5 ms of processor time. */
const ROWS_PER_SLICE = 50;
/**
 * Exchanges per transaction; each may have several megabytes, which SQLite keeps in memory until a statement
 * has deleted all its rows.
 */
const EXCHANGES_PER_SLICE = 10;
/** Parts per transaction; each row has a megabyte or more. */
const PARTS_PER_SLICE = 2;

/** How long a deletion may take. If it has not ended by then, the sweeper deletes the rest of the thread. */
const MAX_DELETION_MS = 600_000;
/** The error of a deletion that is given up. */
export const PARTLY_DELETED = 'Other requests keep copying this thread. It may be partly deleted. Try again.';

/** The rows to delete from a table. */
interface Rows {
  readonly table:
    | 'run_events'
    | 'checkpoints'
    | 'checkpoint_writes'
    | 'checkpoint_blobs'
    | 'exchanges'
    | 'exchange_parts';
  readonly key: readonly string[];
  readonly where: RawBuilder<unknown>;
  /** The column whose highest values are deleted first. */
  readonly order?: string;
  /** Whether the last slice is deleted too. */
  readonly all?: boolean;
  /** The maximum number of rows per transaction. */
  readonly slice?: number;
}

/** Deletes the events of a run in slices, except the last rows, which can be deleted with the run. */
export async function deleteEvents(db: StateDatabase, runId: string, threadId: string): Promise<void> {
  await deleteRows(db, threadId, { ...EVENTS, where: sql`run_id = ${runId}` });
}

/** Deletes the events of a thread's ended runs in slices, except the last rows. */
export async function deleteEventsOfThread(db: StateDatabase, threadId: string): Promise<void> {
  const ended = sql`select run_id from runs where thread_id = ${threadId} and status not in ('pending', 'running')`;
  await deleteRows(db, threadId, { ...EVENTS, where: sql`run_id in (${ended})` });
}

/**
 * Deletes the recordings of a thread's runs in slices, except the last rows of each table; the parts of long
 * answers first.
 */
export async function deleteRecordingsOfThread(db: StateDatabase, threadId: string): Promise<void> {
  const where = sql`thread_id = ${threadId}`;
  const exchange = ['thread_id', 'run_id', 'ordinal'];
  await deleteRows(db, threadId, {
    table: 'exchange_parts',
    key: [...exchange, 'part'],
    where,
    slice: PARTS_PER_SLICE,
  });
  await deleteRows(db, threadId, { table: 'exchanges', key: exchange, where, slice: EXCHANGES_PER_SLICE });
}

/**
 * Deletes the contents of a thread in slices, except the last rows of most tables, which can be deleted with
 * the thread. Meanwhile, the thread has a state that it once had, or none. If the server is killed, the
 * thread expires.
 */
export async function deleteContents(db: StateDatabase, threadId: string): Promise<void> {
  await deleteEventsOfThread(db, threadId);
  await deleteRecordingsOfThread(db, threadId);
  await lookAndWrite(async () => {
    await releaseCopies(db, threadId);
    await deleteCheckpoints(db, threadId);
  }, PARTLY_DELETED);
}

/**
 * Deletes a thread's checkpoints, and then their writes and values. The newest checkpoints are deleted first,
 * because LangGraph may rebuild values of a checkpoint from its ancestors. Few rows are left to the deletion
 * of the thread.
 * @throws Refused as stale if a new copy reads them.
 */
async function deleteCheckpoints(db: StateDatabase, threadId: string): Promise<void> {
  const where = sql`thread_id = ${threadId}`;
  const checkpoint = ['thread_id', 'checkpoint_ns', 'checkpoint_id'];
  const rows: readonly Rows[] = [
    { table: 'checkpoints', key: checkpoint, where, order: 'seq', all: true },
    { table: 'checkpoint_writes', key: [...checkpoint, 'task_id', 'index'], where },
    { table: 'checkpoint_blobs', key: ['thread_id', 'checkpoint_ns', 'channel', 'version'], where },
  ];
  const areMany = await Promise.all(rows.map((of) => hasMoreThan(ROWS_PER_SLICE, db, of)));
  if (!areMany.includes(true)) return;
  await beginDeletion(db, threadId);
  for (const each of rows) await deleteRows(db, threadId, each);
}

/**
 * Clears the newest state in the row of a thread, because the checkpoints that are left meanwhile have older
 * states. From then on, the thread cannot be copied. It expires soon, in case the deletion does not end.
 * @throws Refused as stale if a new copy reads its checkpoints.
 */
function beginDeletion(db: StateDatabase, threadId: string): Promise<void> {
  const expires_at = new Date(Date.now() + MAX_DELETION_MS).toISOString();
  return db.commit((unit) => {
    unit.expect(isNotShared, { thread_id: threadId }, 'stale');
    unit.do(
      unit.build
        .updateTable('threads')
        .set({ values: null, interrupts: '{}', error: null, status: 'idle' })
        .set({ ...BEING_DELETED, expires_at })
        .where('thread_id', '=', threadId),
    );
  }, threadId);
}

async function hasMoreThan(count: number, db: StateDatabase, { table, where }: Rows): Promise<boolean> {
  const another = sql`select 1 from ${sql.table(table)} where ${where} limit 1 offset ${count}`;
  return (await another.execute(db)).rows.length > 0;
}

/** The tables whose rows copies of a thread may read. */
const SHARED: ReadonlySet<Rows['table']> = new Set(['checkpoints', 'checkpoint_writes', 'checkpoint_blobs']);
const EVENTS = { table: 'run_events', key: ['run_id', 'first_seq'] } as const;

/** Deletes rows in slices, until only the last slice is left, or none with `all`. */
async function deleteRows(db: StateDatabase, threadId: string, rows: Rows): Promise<void> {
  const table = sql.table(rows.table);
  const key = sql.join(rows.key.map((name) => sql.ref(name)));
  const { slice: most = ROWS_PER_SLICE } = rows;
  const order = rows.order === undefined ? sql`` : sql`order by ${sql.ref(rows.order)} desc`;
  const next = sql`select ${key} from ${table} where ${rows.where} ${order} limit ${most}`;
  while (await hasMoreThan(rows.all ? 0 : most, db, rows)) {
    const slice = sql`delete from ${table} where (${key}) in (${next})`;
    await db.commit((unit) => {
      if (SHARED.has(rows.table)) unit.expect(isNotShared, { thread_id: threadId }, 'stale');
      unit.do({ compile: () => slice.compile(unit.build) });
    }, threadId);
    await turn();
  }
}
