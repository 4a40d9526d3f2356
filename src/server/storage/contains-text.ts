import { type RawBuilder, sql } from 'kysely';

/** Whether a column contains a string, ignoring the case of ASCII letters; `%` and `_` are letters like others. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
