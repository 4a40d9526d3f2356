import type { SyncDatabase } from '../../storage/sync-database.ts';
import type { TextIndex } from './text-index.ts';
import type { KeyedTable, TracesSchema } from './traces-schema.ts';

/** The database of traces. It is used in separate threads, where waiting for it delays nothing else. */
export interface TracesDatabase extends SyncDatabase<TracesSchema> {
  readonly textIndex: TextIndex;
  /** Reserves keys for new rows of each table; no key is reserved twice. */
  reserveKeys(tables: readonly KeyedTable[]): readonly ReservedKeys[];
  /** @param forget empties caches; called in a transaction when another server has written since this server's last one. */
  whenOthersWrote(forget: () => void): void;
  /** Whether this server does the work between requests: purging, expiry, rules and indexing. In a team, one server does. */
  readonly isMaintainer: boolean;
  /**
   * Frees the space of deleted rows, so that their contents can no longer be read. Called outside of transactions.
   * @param until stops at this time of `performance.now()`.
   * @param purge the name of the purge that deleted the rows; the same name continues an earlier call.
   * @returns `done`; `begun` when another call has to continue; `waits` while other transactions block it.
   */
  giveBack(until: number, purge: string): 'done' | 'begun' | 'waits';
}

/** This many keys of a table, after one that is already assigned. */
export interface ReservedKeys {
  readonly table: KeyedTable;
  readonly after: number;
  readonly count: number;
}
