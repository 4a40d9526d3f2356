import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { PreparedQuery } from '../../storage/prepared-query.ts';
import type { ThreadMetadataTable, ThreadTable } from '../../storage/state-schema.ts';

/** The queries of threads that every run makes. */

type ThreadRow = Selectable<ThreadTable>;

export const findThread = new PreparedQuery<Pick<ThreadRow, 'thread_id' | 'deployment_id'>, ThreadRow>(
  (db, value) =>
    db
      .selectFrom('threads')
      .selectAll()
      .where('thread_id', '=', value('thread_id'))
      .where('deployment_id', '=', value('deployment_id')),
);

export const insertThread = new PreparedQuery<ThreadRow>((db, value) =>
  db.insertInto('threads').values({
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
  }),
);

/** A run was accepted on it. */
export const occupyThread = new PreparedQuery<Pick<ThreadRow, 'thread_id' | 'config' | 'updated_at'>>(
  (db, value) =>
    db
      .updateTable('threads')
      .set({
        status: 'busy',
        run_count: sql<number>`run_count + 1`,
        config: value('config'),
        updated_at: value('updated_at'),
      })
      .where('thread_id', '=', value('thread_id')),
);

export const updateMetadata = new PreparedQuery<Pick<ThreadRow, 'thread_id' | 'metadata'>>((db, value) =>
  db
    .updateTable('threads')
    .set({ metadata: value('metadata') })
    .where('thread_id', '=', value('thread_id')),
);

/** A run on it has ended; a null state keeps the previous one. */
export const releaseThread = new PreparedQuery<
  Pick<ThreadRow, 'thread_id' | 'status' | 'error' | 'updated_at' | 'values' | 'state_updated_at'> & {
    interrupts: string | null;
  }
>((db, value) =>
  db
    .updateTable('threads')
    .set({
      status: value('status'),
      error: value('error'),
      updated_at: value('updated_at'),
      expires_at: renewedExpiry(value('updated_at')),
      values: sql<string | null>`coalesce(${value('values')}, "values")`,
      interrupts: sql<string>`coalesce(${value('interrupts')}, interrupts)`,
      state_updated_at: sql<string | null>`coalesce(${value('state_updated_at')}, state_updated_at)`,
    })
    .where('thread_id', '=', value('thread_id')),
);

export const insertMetadata = new PreparedQuery<Insertable<ThreadMetadataTable>>((db, value) =>
  db
    .insertInto('thread_metadata')
    .values({
      deployment_id: value('deployment_id'),
      key: value('key'),
      value: value('value'),
      thread_id: value('thread_id'),
    })
    .onConflict((conflict) => conflict.doNothing()),
);

export const forgetMetadata = new PreparedQuery<Pick<Selectable<ThreadMetadataTable>, 'thread_id' | 'key'>>(
  (db, value) =>
    db
      .deleteFrom('thread_metadata')
      .where('thread_id', '=', value('thread_id'))
      .where('key', '=', value('key')),
);

/**
 * When a thread that has just been used expires: `delete` counts from when it was set, `keep_latest` from the last
 * use (docs/interface/agent-server.md#threads).
 */
export function renewedExpiry(now: string | RawBuilder<string>) {
  return sql<string | null>`case
    when ttl_strategy = 'keep_latest' and ttl_minutes is not null
    then strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '+' || cast(ttl_minutes * 60 as text) || ' seconds')
    else expires_at end`;
}
