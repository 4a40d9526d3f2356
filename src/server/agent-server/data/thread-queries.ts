import { type Expression, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { addMinutes } from '../../storage/dialect-expressions.ts';
import { PreparedInsert } from '../../storage/prepared-insert.ts';
import { PreparedQuery } from '../../storage/prepared-query.ts';
import type { ThreadMetadataTable, ThreadTable } from '../../storage/state-schema.ts';

// These queries are prepared, because every run makes them.

type ThreadRow = Selectable<ThreadTable>;

export const findThread = new PreparedQuery<Pick<ThreadRow, 'thread_id' | 'deployment_id'>, ThreadRow>(
  (db, value) =>
    db
      .selectFrom('threads')
      .selectAll()
      .where('thread_id', '=', value('thread_id'))
      .where('deployment_id', '=', value('deployment_id')),
);

/**
 * Finds a thread, but only the columns that a new run needs, because the row has the whole state, which may
 * be large.
 */
export const findThreadWithoutState = new PreparedQuery<
  Pick<ThreadRow, 'thread_id' | 'deployment_id'>,
  Pick<ThreadRow, 'thread_id' | 'metadata'>
>((db, value) =>
  db
    .selectFrom('threads')
    .select(['thread_id', 'metadata'])
    .where('thread_id', '=', value('thread_id'))
    .where('deployment_id', '=', value('deployment_id')),
);

export const insertThread = new PreparedQuery<ThreadRow>((db, value) =>
  db
    .insertInto('threads')
    .values({
      thread_id: value('thread_id'),
      deployment_id: value('deployment_id'),
      status: value('status'),
      metadata: value('metadata'),
      config: value('config'),
      values: value('values'),
      interrupts: value('interrupts'),
      error: value('error'),
      created_at: value('created_at'),
      updated_at: value('updated_at'),
      state_updated_at: value('state_updated_at'),
      ttl_strategy: value('ttl_strategy'),
      ttl_minutes: value('ttl_minutes'),
      expires_at: value('expires_at'),
      run_count: value('run_count'),
    })
    .onConflict((conflict) => conflict.column('thread_id').doNothing()),
);

/** A thread's row is only changed if its metadata is still the metadata that was `seen`. */
type Seen = Pick<ThreadRow, 'thread_id'> & { readonly seen: string };

/** Changes a thread's row when a run has been accepted on the thread. */
export const occupyThread = new PreparedQuery<Seen & Pick<ThreadRow, 'metadata' | 'config' | 'updated_at'>>(
  (db, value) =>
    db
      .updateTable('threads')
      .set({
        status: 'busy',
        run_count: sql<number>`run_count + 1`,
        metadata: value('metadata'),
        config: value('config'),
        updated_at: value('updated_at'),
      })
      .where('thread_id', '=', value('thread_id'))
      .where('metadata', '=', value('seen')),
);

export const updateMetadata = new PreparedQuery<Seen & Pick<ThreadRow, 'metadata'>>((db, value) =>
  db
    .updateTable('threads')
    .set({ metadata: value('metadata') })
    .where('thread_id', '=', value('thread_id'))
    .where('metadata', '=', value('seen')),
);

/** The deployment of a copied thread, and the IDs of the source and of the copy. */
interface Copied {
  readonly deployment_id: string;
  readonly from: string;
  readonly to: string;
}

const UNCHANGED_COLUMNS = [
  'deployment_id',
  'metadata',
  'config',
  'values',
  'interrupts',
  'error',
  'state_updated_at',
  'ttl_strategy',
  'ttl_minutes',
  'expires_at',
  'run_count',
] as const;

/** The columns of a thread while it is being deleted. No request sets a time to live without minutes. */
export const BEING_DELETED = { ttl_strategy: 'delete', ttl_minutes: null } as const;

const isBeingDeleted = sql<boolean>`(
  coalesce(ttl_strategy, '') = ${sql.lit(BEING_DELETED.ttl_strategy)} and ttl_minutes is null and expires_at is not null
)`;

/**
 * Copies a thread's row, unless the thread is being deleted. Runs are not copied, so none can be in progress
 * on the copy.
 */
export const copyThread = new PreparedQuery<Copied & { readonly copied_at: string }>((db, value) =>
  db
    .insertInto('threads')
    .columns([...UNCHANGED_COLUMNS, 'thread_id', 'status', 'created_at', 'updated_at'])
    .expression(
      db
        .selectFrom('threads')
        .select([...UNCHANGED_COLUMNS])
        .select([
          value('to').as('copy_id'),
          sql<string>`case status when 'busy' then 'idle' else status end`.as('copied_status'),
          value('copied_at').as('copied_at'),
          value('copied_at').as('changed_at'),
        ])
        .where('thread_id', '=', value('from'))
        .where('deployment_id', '=', value('deployment_id'))
        .where(({ not }) => not(isBeingDeleted)),
    ),
);

export const copyThreadMetadata = new PreparedQuery<Copied>((db, value) =>
  db
    .insertInto('thread_metadata')
    .columns(['deployment_id', 'key', 'value', 'thread_id'])
    .expression(
      db
        .selectFrom('thread_metadata')
        .select(['deployment_id', 'key', 'value', value('to').as('copy_id')])
        .where('deployment_id', '=', value('deployment_id'))
        .where('thread_id', '=', value('from')),
    ),
);

/** Whether a thread has stored runs that have not ended. */
const hasUnfinishedRuns = sql<boolean>`exists (
  select 1 from runs where runs.thread_id = threads.thread_id and runs.status in ('pending', 'running')
)`;

/** The SQL for a thread's status: `busy` if it has unfinished runs, otherwise the given one. */
export function busyOr(status: Expression<ThreadRow['status']> | ThreadRow['status']) {
  return sql<ThreadRow['status']>`case when ${hasUnfinishedRuns} then 'busy' else ${status} end`;
}

/**
 * Changes a thread's row when a run on the thread has ended. A null state or null interrupts keep the
 * previous ones.
 */
export const releaseThread = new PreparedQuery<
  Pick<ThreadRow, 'thread_id' | 'status' | 'error' | 'updated_at' | 'values' | 'state_updated_at'> & {
    interrupts: string | null;
    /** 1 if other runs may be waiting for the thread. */
    may_be_busy: 0 | 1;
  }
>((db, value) =>
  db
    .updateTable('threads')
    .set({
      status: sql<ThreadRow['status']>`case when ${value('may_be_busy')} = 1 and ${hasUnfinishedRuns}
        then 'busy' else ${value('status')} end`,
      error: value('error'),
      updated_at: value('updated_at'),
      expires_at: renewedExpiry(value('updated_at')),
      values: sql<string | null>`coalesce(${value('values')}, "values")`,
      interrupts: sql<string>`coalesce(${value('interrupts')}, interrupts)`,
      state_updated_at: sql<string | null>`coalesce(${value('state_updated_at')}, state_updated_at)`,
    })
    .where('thread_id', '=', value('thread_id')),
);

/** Adds entries of a thread's metadata to the index. */
export const insertMetadata = new PreparedInsert<Insertable<ThreadMetadataTable>>((db, rows) =>
  db
    .insertInto('thread_metadata')
    .values(
      rows.map((value) => ({
        deployment_id: value('deployment_id'),
        key: value('key'),
        value: value('value'),
        thread_id: value('thread_id'),
      })),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

export const deleteMetadata = new PreparedQuery<Pick<Selectable<ThreadMetadataTable>, 'thread_id' | 'key'>>(
  (db, value) =>
    db
      .deleteFrom('thread_metadata')
      .where('thread_id', '=', value('thread_id'))
      .where('key', '=', value('key')),
);

/**
 * The SQL for the time at which a thread that was used `now` expires. With the strategy `delete`, the time
 * to live begins when it is set, with `keep_latest` at the last use
 * (docs/interface/agent-server.md#threads).
 */
export function renewedExpiry(now: string | RawBuilder<string>) {
  return sql<string | null>`case
    when ttl_strategy = 'keep_latest' and ttl_minutes is not null
    then ${addMinutes(typeof now === 'string' ? sql.val(now) : now, 'ttl_minutes')}
    else expires_at end`;
}
