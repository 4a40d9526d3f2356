import { type RawBuilder, sql } from 'kysely';

/** Whether a column has a text in it as it stands, in any case of ASCII; `%` and `_` are letters like others. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
