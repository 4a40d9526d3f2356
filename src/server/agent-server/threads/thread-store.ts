import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { JsonObject } from '../../../contract/fields.ts';
import type { StateSchema, ThreadTable } from '../../storage/state-schema.ts';

type Db = Kysely<StateSchema> | Transaction<StateSchema>;
export type ThreadRow = Selectable<ThreadTable>;

const LONGEST_INDEXED = 256;
const MINUTE_MS = 60_000;

/** How long a thread lives, and what goes then. */
export interface TimeToLive {
  readonly strategy: 'delete' | 'keep_latest';
  readonly minutes: number;
}

/** Rows of threads, together with the index of their metadata. */
export class ThreadStore {
  readonly #db: Db;
  readonly deploymentId: string;
  readonly #defaultTtl: () => TimeToLive | undefined;

  /** @param defaultTtl the time to live of threads that are given none (`checkpointer.ttl` of langgraph.json). */
  constructor(db: Db, deploymentId: string, defaultTtl: () => TimeToLive | undefined = () => undefined) {
    this.#db = db;
    this.deploymentId = deploymentId;
    this.#defaultTtl = defaultTtl;
  }

  find(threadId: string): Promise<ThreadRow | undefined> {
    return this.#db
      .selectFrom('threads')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where('deployment_id', '=', this.deploymentId)
      .executeTakeFirst();
  }

  /** A thread with no state yet. */
  newRow(threadId: string, metadata: JsonObject): Insertable<ThreadTable> {
    const now = new Date().toISOString();
    const ttl = this.#defaultTtl();
    return {
      thread_id: threadId,
      deployment_id: this.deploymentId,
      status: 'idle',
      metadata: JSON.stringify(metadata),
      config: '{}',
      values: null,
      interrupts: '{}',
      error: null,
      created_at: now,
      updated_at: now,
      state_updated_at: null,
      run_count: 0,
      ...(ttl === undefined ? { ttl_strategy: null, ttl_minutes: null, expires_at: null } : expiry(ttl)),
    };
  }

  async insert(db: Db, row: Insertable<ThreadTable>): Promise<void> {
    await db.insertInto('threads').values(row).execute();
    await this.#indexMetadata(db, row.thread_id, JSON.parse(row.metadata) as JsonObject);
  }

  /** Replaces a thread's metadata and what the index says of it. */
  async setMetadata(db: Db, threadId: string, metadata: JsonObject): Promise<void> {
    await db
      .updateTable('threads')
      .set({ metadata: JSON.stringify(metadata) })
      .where('thread_id', '=', threadId)
      .execute();
    await db.deleteFrom('thread_metadata').where('thread_id', '=', threadId).execute();
    await this.#indexMetadata(db, threadId, metadata);
  }

  async delete(db: Db, threadId: string): Promise<void> {
    await db
      .deleteFrom('threads')
      .where('thread_id', '=', threadId)
      .where('deployment_id', '=', this.deploymentId)
      .execute();
  }

  /** Busy threads become idle, but for those named: nothing runs on them any more. */
  async settleAllBut(threadIds: readonly string[]): Promise<void> {
    await this.#db
      .updateTable('threads')
      .set({ status: 'idle' })
      .where('deployment_id', '=', this.deploymentId)
      .where('status', '=', 'busy')
      .where('thread_id', 'not in', [...threadIds, ''])
      .execute();
  }

  async #indexMetadata(db: Db, threadId: string, metadata: JsonObject): Promise<void> {
    const rows = Object.entries(metadata).flatMap(([key, value]) => {
      const text = indexedValue(value);
      return text === undefined
        ? []
        : [{ deployment_id: this.deploymentId, key, value: text, thread_id: threadId }];
    });
    if (rows.length === 0) return;
    await db
      .insertInto('thread_metadata')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** The columns of a time to live that begins now. */
export function expiry({ strategy, minutes }: TimeToLive) {
  return {
    ttl_strategy: strategy,
    ttl_minutes: minutes,
    expires_at: new Date(Date.now() + minutes * MINUTE_MS).toISOString(),
  };
}

/**
 * When a thread that has just been used expires: `delete` counts from when it was set, `keep_latest` from the last use
 * (public facts, C.3).
 */
export function renewedExpiry(now: string) {
  return sql<string | null>`case
    when ttl_strategy = 'keep_latest' and ttl_minutes is not null
    then strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '+' || cast(ttl_minutes * 60 as text) || ' seconds')
    else expires_at end`;
}

/** How a metadata value stands in the index; `undefined` for what is compared in the document instead. */
export function indexedValue(value: unknown): string | undefined {
  if (value === null || typeof value === 'object' || value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > LONGEST_INDEXED ? undefined : text;
}
