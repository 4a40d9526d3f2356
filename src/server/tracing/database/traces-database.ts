import type { SyncDatabase } from '../../storage/sync-database.ts';
import type { TextIndex } from './text-index.ts';
import type { KeyedTable, TracesSchema } from './traces-schema.ts';

/** Where traces are, used in a thread of its own where waiting for the disk delays nothing else. */
export interface TracesDatabase extends SyncDatabase<TracesSchema> {
  readonly textIndex: TextIndex;
  /** Reserves keys for rows of each table, which are never given again. */
  reserveKeys(tables: readonly KeyedTable[]): readonly ReservedKeys[];
  /** @param forget is called in a transaction when another server has written since the last one of this. */
  whenOthersWrote(forget: () => void): void;
  /** Whether this is the server that works on what is stored, between requests. */
  readonly isTending: boolean;
  /**
   * Frees the space of what was deleted, so that it cannot be read there, until a time of `performance.now()`. Called
   * outside of transactions.
   * @param purge what deleted it: the same when this is called again to go on.
   * @returns how far that is: done, to be gone on with, or waiting for others.
   */
  giveBack(until: number, purge: string): 'done' | 'begun' | 'waits';
}

/** So many keys of a table, after one that is given already. */
export interface ReservedKeys {
  readonly table: KeyedTable;
  readonly after: number;
  readonly count: number;
}
