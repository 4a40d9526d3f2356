import type { Selectable } from 'kysely';
import type { JsonObject } from '../../../contract/fields.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import { parseStored, readStoredObject } from '../../storage/stored-json.ts';
import type { Unit } from '../../storage/unit.ts';
import {
  copyThread,
  copyThreadMetadata,
  deleteMetadata,
  findThread,
  findThreadWithoutState,
  insertMetadata,
  insertThread,
  occupyThread,
  updateMetadata,
} from './thread-queries.ts';

export type ThreadRow = Selectable<ThreadTable>;

/** Whether a thread has stopped at an interrupt. A breakpoint does not count, because it asks for nothing. */
export function waitsForAnswer(thread: Pick<ThreadRow, 'status' | 'interrupts'> | undefined): boolean {
  return thread?.status === 'interrupted' && thread.interrupts !== '{}';
}

/** The maximum characters of an indexed key or value. */
const MAX_INDEXED_LENGTH = 256;
const MINUTE_MS = 60_000;

/** The time to live of a thread, and what is deleted afterwards. */
export interface TimeToLive {
  readonly strategy: 'delete' | 'keep_latest';
  readonly minutes: number;
}

/** Rows of threads, together with the index of their metadata. */
export class ThreadStore {
  readonly #db: StateDatabase;
  readonly deploymentId: string;
  readonly #defaultTtl: () => TimeToLive | undefined;

  /**
   * @param defaultTtl the time to live of threads without their own (`checkpointer.ttl` of langgraph.json).
   */
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
    const key = { thread_id: threadId, deployment_id: this.deploymentId };
    return this.#db.find(findThread, key);
  }

  /** Finds a thread without reading its state. */
  findWithoutState(threadId: string): Promise<SeenThread | undefined> {
    const key = { thread_id: threadId, deployment_id: this.deploymentId };
    return this.#db.find(findThreadWithoutState, key);
  }

  /** Whether another deployment has a thread with this id. */
  async isTakenElsewhere(threadId: string): Promise<boolean> {
    const other = await this.#db
      .selectFrom('threads')
      .select('thread_id')
      .where('thread_id', '=', threadId)
      .where('deployment_id', '<>', this.deploymentId)
      .executeTakeFirst();
    return other !== undefined;
  }

  /** Makes the row of a thread that has no state yet. */
  makeRow(threadId: string, metadata: JsonObject): ThreadRow {
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

  /** Stores a thread. The unit is refused as stale if a thread with this id exists. */
  insert(unit: Unit, row: ThreadRow): void {
    unit.expect(insertThread, row, 'stale');
    this.#index(unit, row.thread_id, {}, parseStored(row.metadata));
  }

  /** Replaces a thread's metadata. The unit is refused as stale if it has changed since it was read. */
  setMetadata(unit: Unit, seen: SeenThread, metadata: JsonObject): void {
    const { thread_id } = seen;
    unit.expect(
      updateMetadata,
      { thread_id, seen: seen.metadata, metadata: JSON.stringify(metadata) },
      'stale',
    );
    this.#index(unit, thread_id, readStoredObject(seen.metadata), metadata);
  }

  /**
   * Marks a thread busy when a run has been accepted on it. The unit is refused as stale if the thread's metadata
   * has changed since it was read.
   */
  occupy(unit: Unit, seen: SeenThread, change: { metadata: JsonObject; config: string }): void {
    const metadata = JSON.stringify(change.metadata);
    unit.expect(
      occupyThread,
      {
        thread_id: seen.thread_id,
        seen: seen.metadata,
        metadata,
        config: change.config,
        updated_at: new Date().toISOString(),
      },
      'stale',
    );
    if (metadata !== seen.metadata) {
      this.#index(unit, seen.thread_id, readStoredObject(seen.metadata), change.metadata);
    }
  }

  /**
   * Copies the row of a thread and its index entries. The unit is refused as gone if the thread does not exist.
   */
  copy(unit: Unit, from: string, to: string): void {
    const copied = { from, to, deployment_id: this.deploymentId };
    unit.expect(copyThread, { ...copied, copied_at: new Date().toISOString() }, 'gone');
    unit.run(copyThreadMetadata, copied);
  }

  /** Deletes a thread, if it still exists. */
  delete(unit: Unit, threadId: string): void {
    unit.do(this.#deletion(unit, threadId));
  }

  /** Deletes a thread. The unit is refused as gone if another request has deleted it. */
  deleteExisting(unit: Unit, threadId: string): void {
    unit.expect(this.#deletion(unit, threadId), 'gone');
  }

  #deletion(unit: Unit, threadId: string) {
    return unit.build
      .deleteFrom('threads')
      .where('thread_id', '=', threadId)
      .where('deployment_id', '=', this.deploymentId);
  }

  /** Sets busy threads to idle, except the given ones. */
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
  #index(unit: Unit, thread_id: string, before: JsonObject, after: JsonObject): void {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const was = Object.hasOwn(before, key) ? indexedValue(key, before[key]) : undefined;
      const value = Object.hasOwn(after, key) ? indexedValue(key, after[key]) : undefined;
      if (was === value) continue;
      if (was !== undefined) unit.run(deleteMetadata, { thread_id, key });
      if (value !== undefined) {
        unit.insert(insertMetadata, [{ deployment_id: this.deploymentId, key, value, thread_id }]);
      }
    }
  }
}

/** The part of a thread that a change is based on: the change is refused if the metadata is different by then. */
export type SeenThread = Pick<ThreadRow, 'thread_id' | 'metadata'>;

/** The columns of a time to live that starts now. */
export function expiry({ strategy, minutes }: TimeToLive) {
  return {
    ttl_strategy: strategy,
    ttl_minutes: minutes,
    expires_at: new Date(Date.now() + minutes * MINUTE_MS).toISOString(),
  };
}

/** The index entry of a metadata value; undefined for values that are not indexed, and are compared in the document. */
export function indexedValue(key: string, value: unknown): string | undefined {
  if (key.length > MAX_INDEXED_LENGTH) return undefined;
  if (value === null || typeof value === 'object' || value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > MAX_INDEXED_LENGTH ? undefined : text;
}
