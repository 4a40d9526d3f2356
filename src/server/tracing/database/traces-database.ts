import type { SyncDatabase } from '../../storage/sync-database.ts';
import type { TextIndex } from './text-index.ts';
import type { KeyedTable, TracesSchema } from './traces-schema.ts';

/** The database of traces. It is used in separate threads, where waiting for it delays nothing else. */
export interface TracesDatabase extends SyncDatabase<TracesSchema> {
  readonly textIndex: TextIndex;
  /** Reserves keys for new rows in each table; no key is reserved twice. */
  reserveKeys(tables: readonly KeyedTable[]): readonly ReservedKeys[];
  /**
   * Registers a function that empties caches. It is called in a transaction if another server has written since this
   * server's previous transaction.
   */
  whenOthersWrote(forget: () => void): void;
  /**
   * Whether this server does the work between requests: purging, expiry, rules and indexing. In a team, only one server
   * does it.
   */
  readonly isMaintainer: boolean;
  /**
   * Frees the space of deleted rows, so that their contents can no longer be read. Called outside of transactions.
   * @param until the time of `performance.now()` at which to stop. @param purge the name of the purge that deleted the
   * rows; with the same name, an earlier call is continued.
   * @returns `done`; `begun` when another call has to continue; `waits` while other transactions block it.
   */
  freeSpace(until: number, purge: string): 'done' | 'begun' | 'waits';
}

/** A range of keys of a table, following a key that is already assigned. */
export interface ReservedKeys {
  readonly table: KeyedTable;
  readonly after: number;
  readonly count: number;
}
