import { sql } from 'kysely';
import type { Unit } from '../../storage/unit.ts';
import { setJsonText } from '../../storage/words.ts';

/** The copied columns of each table. The run of a checkpoint is left out, because runs are not copied. */
const COPIED = {
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

/** Copies a thread's whole history under another id, inside the database. */
export function copyCheckpoints(unit: Unit, from: string, to: string): void {
  for (const [table, columns] of Object.entries(COPIED)) {
    const values = columns.map((column) =>
      column === 'metadata' ? setJsonText(column, 'thread_id', to) : sql.ref(column),
    );
    const query = sql`insert into ${sql.table(table)} (thread_id, ${sql.join(columns.map((column) => sql.ref(column)))})
      select ${to}, ${sql.join(values)} from ${sql.table(table)} where thread_id = ${from}`;
    unit.do({ compile: () => query.compile(unit.build) });
  }
}
