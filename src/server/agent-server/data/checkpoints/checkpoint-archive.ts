import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { ArchivedRecord } from '../../../../contract/agent-server/archive.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { invalid } from '../../../http/errors.ts';
import type { StateSchema } from '../../../storage/state-schema.ts';
import { toData, toValue } from './stored-value.ts';

type Db = Kysely<StateSchema>;

/** A page ends with the record that reaches one of these limits. */
const MAX_PAGE_BYTES = 4 * 1_048_576;
const MAX_PAGE_RECORDS = 2_000;
/** The maximum number of rows per query. */
const ROWS_AT_ONCE = 64;

/**
 * Checkpoints come first, so that the export has all their values even if the thread changes in the meantime.
 */
const SECTIONS = ['checkpoints', 'values', 'writes'] as const;
type Section = (typeof SECTIONS)[number];

const Cursor = z.tuple([z.enum(SECTIONS), z.array(z.union([z.string(), z.number()])).max(4)]);
type Key = readonly (string | number)[];

interface Row {
  /** The row's position in its section, for the cursor. */
  readonly key: Key;
  /** About the size of its payload. */
  readonly bytes: number;
  readonly record: ArchivedRecord;
}

/**
 * A page of a thread's stored history, in an order that does not change between pages.
 * @param cursor `next` of the previous page; undefined for the first page.
 * @throws HttpError 422 for an invalid cursor.
 */
export async function readArchive(
  db: Db,
  threadId: string,
  cursor: string | undefined,
): Promise<{ records: ArchivedRecord[]; next: string | null }> {
  let [section, after]: [Section, Key] = cursor === undefined ? ['checkpoints', []] : readCursor(cursor);
  const records: ArchivedRecord[] = [];
  let bytes = 0;
  for (;;) {
    const rows = await READERS[section](db, threadId, after);
    for (const row of rows) {
      records.push(row.record);
      bytes += row.bytes;
      after = row.key;
      if (bytes >= MAX_PAGE_BYTES || records.length >= MAX_PAGE_RECORDS) {
        return { records, next: Buffer.from(JSON.stringify([section, after])).toString('base64url') };
      }
    }
    if (rows.length === ROWS_AT_ONCE) continue;
    const following = SECTIONS[SECTIONS.indexOf(section) + 1];
    if (following === undefined) return { records, next: null };
    [section, after] = [following, []];
  }
}

/** Stores records of a thread, its checkpoints in the given order. Existing records are not changed. */
export async function writeArchive(
  db: Db,
  threadId: string,
  records: readonly ArchivedRecord[],
): Promise<void> {
  for (let at = 0; at < records.length; at += ROWS_AT_ONCE) {
    const slice = records.slice(at, at + ROWS_AT_ONCE);
    await insertCheckpoints(db, threadId, slice);
    await insertValues(db, threadId, slice);
    await insertWrites(db, threadId, slice);
  }
}

const READERS: Readonly<Record<Section, (db: Db, threadId: string, after: Key) => Promise<Row[]>>> = {
  checkpoints: async (db, threadId, after) => {
    const rows = await db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where(isAfter(['seq'], after))
      .orderBy('seq')
      .limit(ROWS_AT_ONCE)
      .execute();
    return rows.map((row) => ({
      key: [row.seq],
      bytes: row.data.length + row.metadata.length,
      record: {
        kind: 'checkpoint',
        checkpoint_ns: row.checkpoint_ns,
        checkpoint_id: row.checkpoint_id,
        parent_checkpoint_id: row.parent_checkpoint_id,
        run_id: row.run_id,
        checkpoint: toValue(row),
        channel_versions: Versions.parse(JSON.parse(row.channel_versions)),
        metadata: JsonObject.parse(JSON.parse(row.metadata)),
        created_at: row.created_at,
      },
    }));
  },
  values: async (db, threadId, after) => {
    const rows = await db
      .selectFrom('checkpoint_blobs')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where(isAfter(['checkpoint_ns', 'channel', 'version'], after))
      .orderBy('checkpoint_ns')
      .orderBy('channel')
      .orderBy('version')
      .limit(ROWS_AT_ONCE)
      .execute();
    return rows.map((row) => {
      const { checkpoint_ns, channel, version } = row;
      return {
        key: [checkpoint_ns, channel, version],
        bytes: row.data.length,
        record: { kind: 'value', checkpoint_ns, channel, version, value: toValue(row) },
      };
    });
  },
  writes: async (db, threadId, after) => {
    const rows = await db
      .selectFrom('checkpoint_writes')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where(isAfter(['checkpoint_ns', 'checkpoint_id', 'task_id', 'index'], after))
      .orderBy('checkpoint_ns')
      .orderBy('checkpoint_id')
      .orderBy('task_id')
      .orderBy('index')
      .limit(ROWS_AT_ONCE)
      .execute();
    return rows.map((row) => {
      const { checkpoint_ns, checkpoint_id, task_id, index, task_path, channel } = row;
      return {
        key: [checkpoint_ns, checkpoint_id, task_id, index],
        bytes: row.data.length,
        record: {
          kind: 'write',
          checkpoint_ns,
          checkpoint_id,
          task_id,
          index,
          task_path,
          channel,
          value: toValue(row),
        },
      };
    });
  },
};

const Versions = z.record(z.string(), z.string());

/**
 * The condition for rows after a position; an empty position, or one of another section, is before all rows.
 */
function isAfter(columns: readonly string[], after: Key) {
  if (after.length !== columns.length) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(columns.map((name) => sql.ref(name)))}) > (${sql.join([...after])})`;
}

async function insertCheckpoints(
  db: Db,
  thread_id: string,
  records: readonly ArchivedRecord[],
): Promise<void> {
  const checkpoints = records.filter((record) => record.kind === 'checkpoint');
  if (checkpoints.length === 0) return;
  const last = await db
    .selectFrom('checkpoints')
    .select((expression) => expression.fn.max('seq').as('seq'))
    .where('thread_id', '=', thread_id)
    .executeTakeFirst();
  const rows = checkpoints.map(({ kind: _, checkpoint, channel_versions, metadata, ...row }, at) => ({
    ...row,
    seq: (last?.seq ?? 0) + 1 + at,
    thread_id,
    type: checkpoint.type,
    data: toData(checkpoint),
    channel_versions: JSON.stringify(channel_versions),
    metadata: JSON.stringify(metadata),
  }));
  await db
    .insertInto('checkpoints')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertValues(db: Db, thread_id: string, records: readonly ArchivedRecord[]): Promise<void> {
  const rows = records
    .filter((record) => record.kind === 'value')
    .map(({ kind: _, value, ...row }) => ({ ...row, thread_id, type: value.type, data: toData(value) }));
  if (rows.length === 0) return;
  await db
    .insertInto('checkpoint_blobs')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertWrites(db: Db, thread_id: string, records: readonly ArchivedRecord[]): Promise<void> {
  const rows = records
    .filter((record) => record.kind === 'write')
    .map(({ kind: _, value, ...row }) => ({ ...row, thread_id, type: value.type, data: toData(value) }));
  if (rows.length === 0) return;
  await db
    .insertInto('checkpoint_writes')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function readCursor(text: string): [Section, Key] {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalid(['query', 'cursor'], 'Use the cursor returned with the previous page.');
  }
}
