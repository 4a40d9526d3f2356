import type { SyncDatabase } from '../../storage/sync-database.ts';
import type { TextIndex } from './text-index.ts';
import type { TracesSchema } from './traces-schema.ts';

/** Where traces are, used in a thread of its own where waiting for the disk delays nothing else. */
export interface TracesDatabase extends SyncDatabase<TracesSchema> {
  readonly textIndex: TextIndex;
  /** The last key that rows of a table were given, also those that are gone. */
  lastKey(table: 'runs' | 'payload_blocks'): number;
  /**
   * Frees the space of what was deleted, so that it cannot be read there, until a time of `performance.now()`. Called
   * outside of transactions.
   * @returns whether that is done.
   */
  giveBack(until: number): boolean;
}
