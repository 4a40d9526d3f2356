import { setImmediate as turn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { membersOf, setJsonText } from '../../../storage/dialect-expressions.ts';
import { PreparedQuery } from '../../../storage/prepared-query.ts';
import { isRefused } from '../../../storage/refused.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import type { Unit } from '../../../storage/unit.ts';
import { SPECIAL_INDEX_BELOW } from './thread-history.ts';

/** The copied columns of each table. The run of a checkpoint is left out, because runs are not copied. */
export const COPIED_COLUMNS = {
  checkpoints: [
    'checkpoint_ns',
    'checkpoint_id',
    'parent_checkpoint_id',
    'type',
    'data',
    'channel_versions',
    'metadata',
    'created_at',
    'seq',
  ],
  checkpoint_blobs: ['checkpoint_ns', 'channel', 'version', 'type', 'data'],
  checkpoint_writes: [
    'checkpoint_ns',
    'checkpoint_id',
    'task_id',
    'index',
    'task_path',
    'channel',
    'type',
    'data',
  ],
} as const;

/** The number of checkpoints that one transaction copies, with their values and writes. */
const SLICE_CHECKPOINTS = 50;

/** Finds a row if no copy reads the thread, which is the condition for deleting rows that can be shared. */
export const isNotShared = new PreparedQuery<{ thread_id: string }>((db, value) =>
  db
    .selectNoFrom(sql.lit(1).as('alone'))
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('histories').select('thread_id').where('base_id', '=', value('thread_id')))),
    ),
);

/** Finds a row if the thread reads only its own rows, which is the condition for deletions that consider only those. */
export const hasNoBase = new PreparedQuery<{ thread_id: string }>((db, value) =>
  db
    .selectNoFrom(sql.lit(1).as('alone'))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('histories')
            .select('thread_id')
            .where('thread_id', '=', value('thread_id'))
            .where('base_id', 'is not', null),
        ),
      ),
    ),
);

/**
 * Gives copies of a thread rows of their own, before the thread's rows are changed or deleted. Works in
 * slices, and copies stay unchanged throughout. The unit that deletes must check with `isNotShared` that
 * there is no new copy.
 */
export async function releaseCopies(db: StateDatabase, threadId: string): Promise<void> {
  for (;;) {
    const copy = await db
      .selectFrom('histories')
      .select('thread_id')
      .where('base_id', '=', threadId)
      .limit(1)
      .executeTakeFirst();
    if (copy === undefined) return;
    await leaveBase(db, copy.thread_id);
  }
}

/** Gives a copy rows of its own, so that it no longer reads another thread's. */
export async function leaveBase(db: StateDatabase, threadId: string): Promise<void> {
  const history = await db
    .selectFrom('histories')
    .select(['base_id', 'shared_seq'])
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  const base = history?.base_id;
  if (history === undefined || base == null) return;
  const isUnchanged = sql`thread_id = ${threadId} and base_id = ${base}`;
  const store = (write: (unit: Unit) => void) =>
    db.commit((unit) => {
      unit.expect(
        unit.build.selectFrom('histories').select('thread_id').where(sql<boolean>`${isUnchanged}`),
        'gone',
      );
      write(unit);
    }, threadId);
  try {
    let after = 0;
    for (;;) {
      const upTo = await findEndOfSlice(db, [base, threadId], after, history.shared_seq);
      if (upTo === null) break;
      const slice = sql`h.thread_id = ${threadId} and c.seq > ${after} and c.seq <= ${upTo}`;
      await store((unit) => giveRows(unit, base, slice));
      after = upTo;
      await turn();
    }
    await store((unit) => {
      const detach = sql`update histories set base_id = null, base_copies = null where ${isUnchanged}`;
      unit.do({ compile: () => detach.compile(unit.build) });
    });
  } catch (error) {
    // `gone` means that the copy was deleted, or already has its own rows.
    if (!isRefused(error, 'gone')) throw error;
  }
}

/** Gives copies of a thread their own rows for the checkpoints of a run, which is about to be undone. */
export function keepForCopies(unit: Unit, threadId: string, runId: string): void {
  giveRows(unit, threadId, sql`c.run_id = ${runId}`);
}

/** The position of the last checkpoint in the next slice; null if there are no more. */
async function findEndOfSlice(
  db: StateDatabase,
  threads: readonly string[],
  after: number,
  last: number,
): Promise<number | null> {
  const slice = db
    .selectFrom('checkpoints')
    .select('seq')
    .where('thread_id', 'in', threads)
    .where('seq', '>', after)
    .where('seq', '<=', last)
    .orderBy('seq')
    .limit(SLICE_CHECKPOINTS);
  const row = await db
    .selectFrom(slice.as('slice'))
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  return row?.seq ?? null;
}

/**
 * Gives the copies `h` of a thread their own rows for checkpoints of this base, with the values and writes of the
 * checkpoints.
 * @param which an SQL condition that selects checkpoints `c` for copies `h`.
 */
function giveRows(unit: Unit, base: string, which: RawBuilder<unknown>): void {
  const to = sql.ref<string>('h.thread_id');
  const shared = sql`histories as h cross join checkpoints as c`;
  const isShared = sql`h.base_id = ${base} and c.seq <= h.shared_seq and ${which}`;
  const ofBase = sql`c.thread_id = h.base_id and ${isShared}`;
  // A checkpoint that a copy has kept may refer to other values than the base's current row does.
  const ofEither = sql`c.thread_id in (h.base_id, h.thread_id) and ${isShared}`;
  const statements = [
    sql`insert into checkpoints ${into('checkpoints')}
      select ${to}, ${from('checkpoints', 'c', to)} from ${shared} where ${ofBase}
      on conflict do nothing`,
    sql`insert into checkpoint_blobs ${into('checkpoint_blobs')}
      select ${to}, ${from('checkpoint_blobs', 'b', to)}
      from ${shared} cross join ${membersOf(sql.ref('c.channel_versions'), 'v')} cross join checkpoint_blobs as b
      where ${ofEither} and b.thread_id = h.base_id and b.checkpoint_ns = c.checkpoint_ns
        and b.channel = v.key and b.version = v.value
      on conflict do nothing`,
    // As in `mergeWrites`: of special writes, which a later attempt replaces, the copy's own are kept; of others, the base's.
    sql`insert into checkpoint_writes ${into('checkpoint_writes')}
      select ${to}, ${from('checkpoint_writes', 'w', to)} from ${shared} cross join checkpoint_writes as w
      where ${ofBase} and w.thread_id = h.base_id and w.checkpoint_ns = c.checkpoint_ns
        and w.checkpoint_id = c.checkpoint_id and w.after_copies <= h.base_copies
      on conflict (thread_id, checkpoint_ns, checkpoint_id, task_id, "index") do update set
        task_path = excluded.task_path, channel = excluded.channel, type = excluded.type, data = excluded.data
        where checkpoint_writes."index" >= ${sql.lit(SPECIAL_INDEX_BELOW)}`,
  ];
  for (const statement of statements) unit.do({ compile: () => statement.compile(unit.build) });
}

function into(table: keyof typeof COPIED_COLUMNS): RawBuilder<unknown> {
  return sql`(thread_id, ${sql.join(COPIED_COLUMNS[table].map((column) => sql.ref(column)))})`;
}

function from(
  table: keyof typeof COPIED_COLUMNS,
  alias: string,
  to: RawBuilder<string>,
): RawBuilder<unknown> {
  return sql.join(
    COPIED_COLUMNS[table].map((column) =>
      column === 'metadata'
        ? setJsonText(`${alias}.metadata`, 'thread_id', to)
        : sql.ref(`${alias}.${column}`),
    ),
  );
}
