import { sql } from 'kysely';
import { holdThread, setJsonText } from '../../../storage/dialect-expressions.ts';
import type { Unit } from '../../../storage/unit.ts';
import { COPIED_COLUMNS } from './shared-rows.ts';

/**
 * Gives a new thread the history of another one. The copy reads the rows of the thread that owns them, so
 * this takes constant time. If the source is itself a copy, the rows that it has added are also copied.
 * @param from the ID of the source.
 * @param to the ID of the copy.
 */
export function copyCheckpoints(unit: Unit, from: string, to: string): void {
  const isCopy = sql`select thread_id from histories where thread_id = ${from} and base_id is not null`;
  const newest = sql`(select coalesce(max(seq), 0) from checkpoints where thread_id = ${from})`;
  const statements = [
    // Waits for a unit that changes rows of the base, because such a unit keeps the old rows only for copies
    // that exist already.
    sql`select ${holdThread(sql.ref('base_id'))} from histories where thread_id = ${from} and base_id is not null`,
    // A source that is not itself a copy shares its checkpoints up to the newest, and counts its copies.
    sql`insert into histories (thread_id, shared_seq, copies)
      select thread_id, ${newest}, 1 from threads where thread_id = ${from} and not exists (${isCopy})
      on conflict (thread_id) do update set
        shared_seq = case when excluded.shared_seq > histories.shared_seq then excluded.shared_seq else histories.shared_seq end,
        copies = histories.copies + 1`,
    // The copy reads the rows of the source, or those that the source reads as a copy.
    sql`insert into histories (thread_id, base_id, base_copies, shared_seq)
      select ${to}, coalesce(base_id, thread_id), coalesce(base_copies, copies - 1), shared_seq
      from histories where thread_id = ${from}`,
    // The rows that a source has added as a copy.
    ...Object.entries(COPIED_COLUMNS).map(([table, columns]) => {
      const values = columns.map((column) =>
        column === 'metadata' ? setJsonText(column, 'thread_id', to) : sql.ref(column),
      );
      return sql`insert into ${sql.table(table)} (thread_id, ${sql.join(columns.map((column) => sql.ref(column)))})
        select ${to}, ${sql.join(values)} from ${sql.table(table)} where thread_id = (${isCopy})`;
    }),
  ];
  for (const statement of statements) unit.do({ compile: () => statement.compile(unit.build) });
}
