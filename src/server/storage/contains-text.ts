import { type RawBuilder, sql } from 'kysely';
import { inDialects } from './dialect-sql.ts';

/** Whether a column contains a string, of any length, ignoring the case of ASCII letters. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  const searched = sql.ref(column);
  return inDialects({
    sqlite: sql<boolean>`instr(lower(${searched}), lower(${text})) > 0`,
    postgres: sql`strpos(lower(${searched}), lower(${text}::text collate "C")) > 0`,
  });
}
