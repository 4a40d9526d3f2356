import { type RawBuilder, sql } from 'kysely';
import { inDialects } from './dialect-sql.ts';

/** The maximum number of parameters; more would come close to SQLite's limit per statement. */
const MAX_PARAMETERS = 500;

/** The condition that a column has one of the values. There may be any number of them, including none. */
export function isAmong(
  column: RawBuilder<unknown> | string,
  values: readonly (string | number | null)[],
): RawBuilder<boolean> {
  const reference = typeof column === 'string' ? sql.ref(column) : column;
  if (values.length === 0) return sql<boolean>`false`;
  return values.length <= MAX_PARAMETERS
    ? sql<boolean>`${reference} in (${sql.join([...values])})`
    : inDialects({
        sqlite: sql<boolean>`${reference} in (select value from json_each(${JSON.stringify(values)}))`,
        postgres: sql`${reference} in (select cast(value as ${typeOf(values)}) from jsonb_array_elements_text(harbor_json(${JSON.stringify(values)})))`,
      });
}

function typeOf(values: readonly (string | number | null)[]): RawBuilder<unknown> {
  if (values.some((value) => typeof value === 'string')) return sql`text`;
  const areKeys = values.every((value) => value === null || Number.isSafeInteger(value));
  return areKeys ? sql`bigint` : sql`double precision`;
}
