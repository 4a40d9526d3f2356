import type { Selectable } from 'kysely';
import type { JsonObject } from '../../../contract/fields.ts';
import type { StateDatabase, StateNow } from '../../storage/state-database.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import { parseStored } from '../../storage/stored-json.ts';
import {
  findThread,
  forgetMetadata,
  insertMetadata,
  insertThread,
  updateMetadata,
} from './thread-queries.ts';

export type ThreadRow = Selectable<ThreadTable>;

const MAX_INDEXED_LENGTH = 256;
const MINUTE_MS = 60_000;

/** Time to live of a thread, and what is deleted then. */
export interface TimeToLive {
  readonly strategy: 'delete' | 'keep_latest';
  readonly minutes: number;
}

/** Rows of threads, together with the index of their metadata. */
export class ThreadStore {
  readonly #db: StateDatabase;
  readonly deploymentId: string;
  readonly #defaultTtl: () => TimeToLive | undefined;

  /** @param defaultTtl the time to live of threads that are given none (`checkpointer.ttl` of langgraph.json). */
  constructor(
    db: StateDatabase,
    deploymentId: string,
    defaultTtl: () => TimeToLive | undefined = () => undefined,
  ) {
    this.#db = db;
    this.deploymentId = deploymentId;
    this.#defaultTtl = defaultTtl;
  }

  find(threadId: string): Promise<ThreadRow | undefined> {
    return this.#db.now((now) => this.findNow(now, threadId));
  }

  findNow(now: StateNow, threadId: string): ThreadRow | undefined {
    return findThread.get(now, { thread_id: threadId, deployment_id: this.deploymentId });
  }

  /** Whether any deployment has a thread of this id. */
  isTakenNow(now: StateNow, threadId: string): boolean {
    const query = now.build.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
    return now.get(query) !== undefined;
  }

  /** A thread with no state yet. */
  newRow(threadId: string, metadata: JsonObject): ThreadRow {
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

  insert(now: StateNow, row: ThreadRow): void {
    insertThread.run(now, row);
    this.#index(now, row.thread_id, {}, parseStored(row.metadata));
  }

  /** Replaces a thread's metadata and its index entries. @param before the current metadata. */
  setMetadata(now: StateNow, threadId: string, metadata: JsonObject, before: JsonObject): void {
    updateMetadata.run(now, { thread_id: threadId, metadata: JSON.stringify(metadata) });
    this.#index(now, threadId, before, metadata);
  }

  delete(now: StateNow, threadId: string): void {
    now.run(
      now.build
        .deleteFrom('threads')
        .where('thread_id', '=', threadId)
        .where('deployment_id', '=', this.deploymentId),
    );
  }

  /** Sets busy threads to idle, except for the given ones. */
  async settleAllBut(threadIds: readonly string[]): Promise<void> {
    await this.#db
      .updateTable('threads')
      .set({ status: 'idle' })
      .where('deployment_id', '=', this.deploymentId)
      .where('status', '=', 'busy')
      .where('thread_id', 'not in', [...threadIds, ''])
      .execute();
  }

  /** Updates the index entries of a thread's metadata. */
  #index(now: StateNow, thread_id: string, before: JsonObject, after: JsonObject): void {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const was = Object.hasOwn(before, key) ? indexedValue(before[key]) : undefined;
      const value = Object.hasOwn(after, key) ? indexedValue(after[key]) : undefined;
      if (was === value) continue;
      if (was !== undefined) forgetMetadata.run(now, { thread_id, key });
      if (value !== undefined) {
        insertMetadata.run(now, { deployment_id: this.deploymentId, key, value, thread_id });
      }
    }
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

/** The index entry of a metadata value; `undefined` for values compared in the document. */
export function indexedValue(value: unknown): string | undefined {
  if (value === null || typeof value === 'object' || value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > MAX_INDEXED_LENGTH ? undefined : text;
}
