import { type Expression, type OrderByItemBuilder, type RawBuilder, sql } from 'kysely';
import { inDialects } from './dialect-sql.ts';

// Expressions that are written differently in SQLite and PostgreSQL. Queries in other folders use only these, and SQL that
// both databases understand.

/** A column's name, or anything that has a value. */
type Operand = string | Expression<unknown>;

const operand = (of: Operand): Expression<unknown> => (typeof of === 'string' ? sql.ref(of) : of);
const pathTo = (key: string): string => `$.${JSON.stringify(key)}`;

/** Whether a JSON document contains a pattern, as defined by `containsJson`; a damaged document contains nothing. */
export function documentContains(column: string, pattern: object): RawBuilder<boolean> {
  return documentContainsText(column, JSON.stringify(pattern));
}

/** Whether a JSON document contains a pattern that is given as JSON text. */
export function documentContainsText(column: string, wanted: string): RawBuilder<boolean> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<boolean>`json_contains(${document}, ${wanted}) = 1`,
    postgres: sql`harbor_contains(${document}, ${wanted})`,
  });
}

/** The value under a key of a JSON document, to be compared with `asMember`; null when there is none. */
export function memberOf<Value = unknown>(column: string, key: string): RawBuilder<Value | null> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<Value | null>`json_extract(${document}, ${pathTo(key)})`,
    postgres: sql`nullif(harbor_json(${document}) -> ${key}, 'null')`,
  });
}

/** A value in the form of `memberOf`. */
export function asMember(value: unknown): RawBuilder<unknown> {
  const text = JSON.stringify(value ?? null);
  return inDialects({
    sqlite: sql`json_extract(${text}, '$')`,
    postgres: sql`nullif(harbor_json(${text}), 'null')`,
  });
}

/** The number under a key of a JSON document; null when there is none. */
export function numberIn(column: string, key: string): RawBuilder<number | null> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<number | null>`json_extract(${document}, ${pathTo(key)})`,
    postgres: sql`(harbor_json(${document}) ->> ${key})::double precision`,
  });
}

/**
 * The value under a key of a JSON document, as text: a string unchanged, anything else as JSON; null for null or no
 * value.
 */
export function textIn(column: string, key: string): RawBuilder<string | null> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<string | null>`(${document} ->> ${pathTo(key)})`,
    postgres: sql`(harbor_json(${document}) ->> ${key})`,
  });
}

/** A JSON document as text: a string unchanged, anything else as JSON. */
export function textOfJson(column: string): RawBuilder<string | null> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<string | null>`(${document} ->> '$')`,
    postgres: sql`(harbor_json(${document}) #>> '{}')`,
  });
}

/** Whether a JSON object has a key. */
export function hasMember(column: string, key: string): RawBuilder<boolean> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<boolean>`json_type(${document}, ${pathTo(key)}) is not null`,
    postgres: sql`jsonb_exists(harbor_json(${document}), ${key})`,
  });
}

/** The number that a text represents in JSON; null for other texts. */
export function textAsNumber(column: string): RawBuilder<number | null> {
  const text = sql.ref(column);
  return inDialects({
    sqlite: sql<
      number | null
    >`(case when iif(json_valid(${text}), json_type(${text}), '') in ('integer', 'real')
      then cast(${text} as real) end)`,
    postgres: sql`harbor_number(${text})`,
  });
}

/**
 * Whether a text matches a pattern of `%` and `_`, ignoring the case of ASCII letters.
 * @param mark the escape character before literal `%` and `_`.
 */
export function isLike(text: Expression<unknown>, pattern: string, mark?: string): RawBuilder<boolean> {
  return inDialects({
    sqlite:
      mark === undefined
        ? sql<boolean>`${text} like ${pattern}`
        : sql<boolean>`${text} like ${pattern} escape ${sql.lit(mark)}`,
    // `"C"` ignores only the case of ASCII letters.
    postgres: sql`(${text})::text collate "C" ilike ${pattern} escape ${sql.lit(mark ?? '')}`,
  });
}

/** A JSON document with a text under a key. */
export function setJsonText(
  column: string,
  key: string,
  text: string | Expression<string>,
): RawBuilder<string> {
  const document = sql.ref(column);
  return inDialects({
    sqlite: sql<string>`json_set(${document}, ${pathTo(key)}, ${text})`,
    postgres: sql`jsonb_set(harbor_json(${document}), array[${key}::text], to_jsonb(${text}::text))::text`,
  });
}

/** A JSON array with one more element. */
export function appendJson(column: string, element: unknown): RawBuilder<string> {
  const [array, text] = [sql.ref(column), JSON.stringify(element)];
  return inDialects({
    sqlite: sql<string>`json_insert(${array}, '$[#]', json(${text}))`,
    postgres: sql`(${array}::jsonb || jsonb_build_array(${text}::jsonb))::text`,
  });
}

/** The elements of a JSON array as rows of one column, `value`. */
export function rowsOf<Alias extends string>(json: Expression<string>, alias: Alias) {
  return inDialects({
    sqlite: sql<{ value: string }>`json_each(${json})`,
    postgres: sql`jsonb_array_elements(harbor_json(${json}))`,
  }).as<Alias>(alias);
}

/** The members of a JSON object as rows of two columns, `key` and `value`, as text. */
export function membersOf(json: Expression<string>, alias: string): RawBuilder<unknown> {
  return sql`${inDialects({
    sqlite: sql`json_each(${json})`,
    postgres: sql`jsonb_each_text(harbor_json(${json}))`,
  })} as ${sql.ref(alias)}`;
}

/** An element of an array that is a row of `rowsOf`. */
export function elementOf(alias: string, at: number): RawBuilder<string> {
  return sql<string>`${sql.ref(`${alias}.value`)} ->> ${sql.lit(at)}`;
}

/** Whether two values are equal; null equals null. */
export function isSame(a: Operand, b: Operand): RawBuilder<boolean> {
  return inDialects({
    sqlite: sql<boolean>`${operand(a)} is ${operand(b)}`,
    postgres: sql`${operand(a)} is not distinct from ${operand(b)}`,
  });
}

/** Whether two values differ; null differs from all other values. */
export function isOther(a: Operand, b: Operand): RawBuilder<boolean> {
  return inDialects({
    sqlite: sql<boolean>`${operand(a)} is not ${operand(b)}`,
    postgres: sql`${operand(a)} is distinct from ${operand(b)}`,
  });
}

/** A time in ISO 8601 some minutes later. */
export function addMinutes(time: Operand, minutes: Operand): RawBuilder<string> {
  return inDialects({
    sqlite: sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${operand(time)}, '+' || cast(${operand(minutes)} * 60 as text) || ' seconds')`,
    postgres: sql`to_char(
      (${operand(time)}::timestamptz + ${operand(minutes)} * interval '1 minute') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  });
}

/**
 * The time some seconds from now, in ISO 8601, on the database's clock, because the clocks of servers that share it may
 * differ.
 */
export function secondsFromNow(seconds: number): RawBuilder<string> {
  return inDialects({
    sqlite: sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`+${seconds} seconds`})`,
    postgres: sql`to_char(
      (statement_timestamp() + ${seconds} * interval '1 second') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  });
}

/** The cosine similarity of a stored vector and another one; 1 for the same direction. */
export function similarityTo(column: string, to: Uint8Array): RawBuilder<number> {
  return inDialects({
    sqlite: sql<number>`cosine(${sql.ref(column)}, ${to})`,
    // The column `floats` has the numbers of the column `vector`.
    postgres: sql`harbor_cosine(floats, ${to}::bytea)`,
  });
}

/**
 * Orders by a nullable column, with nulls as the lowest values: first when ascending, last when descending.
 */
export function orderNullsLowest(direction: 'asc' | 'desc') {
  return (order: OrderByItemBuilder) =>
    direction === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast();
}

/**
 * A column as a plain value, so that SQLite does not choose its index where another one is better. Without statistics,
 * SQLite assumes that an equality finds few rows, which is wrong for a deployment's threads. PostgreSQL has statistics.
 */
export function withoutIndex(column: string): RawBuilder<string> {
  return inDialects({ sqlite: sql<string>`+${sql.ref(column)}`, postgres: sql`${sql.ref(column)}` });
}

/** Locks a thread until the unit is stored, so that units for the same thread wait. SQLite stores one unit at a time anyway. */
export function holdThread(thread: Expression<string | null>): RawBuilder<unknown> {
  return inDialects({
    sqlite: sql`${thread}`,
    postgres: sql`pg_advisory_xact_lock(hashtextextended(${thread}, 0))`,
  });
}
