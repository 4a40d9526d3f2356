import { type RawBuilder, sql } from 'kysely';
import { isLike } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import { type Condition, notTrue } from '../database/condition.ts';
import { parseTime } from '../database/time.ts';
import { type Comparison, FilterError, type Literal } from './filter-language.ts';
import type { FilterScope } from './filter-scope.ts';
import { wordsCondition } from './search-words.ts';

type Kind = 'text' | 'number' | 'time' | 'duration';

/** The fields that correspond to a column, or to an expression over columns. */
const FIELDS: Readonly<Record<string, { kind: Kind; column: (alias: string) => RawBuilder<unknown> }>> = {
  id: { kind: 'text', column: columnOf('id') },
  name: { kind: 'text', column: columnOf('name') },
  run_type: { kind: 'text', column: columnOf('run_type') },
  status: { kind: 'text', column: columnOf('status') },
  parent_run_id: { kind: 'text', column: columnOf('parent_id') },
  dotted_order: { kind: 'text', column: columnOf('dotted_order') },
  reference_example_id: { kind: 'text', column: columnOf('reference_example_id') },
  trace_id: {
    kind: 'text',
    column: (alias) => sql`(select id from traces where key = ${sql.ref(`${alias}.trace`)})`,
  },
  start_time: { kind: 'time', column: columnOf('start_time') },
  end_time: { kind: 'time', column: columnOf('end_time') },
  first_token_time: { kind: 'time', column: columnOf('first_token_time') },
  latency: {
    kind: 'duration',
    column: (alias) => sql`(${sql.ref(`${alias}.end_time`)} - ${sql.ref(`${alias}.start_time`)})`,
  },
  time_to_first_token: {
    kind: 'duration',
    column: (alias) => sql`(${sql.ref(`${alias}.first_token_time`)} - ${sql.ref(`${alias}.start_time`)})`,
  },
  total_tokens: { kind: 'number', column: columnOrZero('total_tokens') },
  prompt_tokens: { kind: 'number', column: columnOrZero('prompt_tokens') },
  completion_tokens: { kind: 'number', column: columnOrZero('completion_tokens') },
  total_cost: { kind: 'number', column: columnOrZero('total_cost') },
  prompt_cost: { kind: 'number', column: columnOrZero('prompt_cost') },
  completion_cost: { kind: 'number', column: columnOrZero('completion_cost') },
};

/** The fields that are searched for words. */
const WORD_FIELDS: Readonly<Record<string, 'inputs' | 'outputs'>> = {
  inputs: 'inputs',
  input: 'inputs',
  outputs: 'outputs',
  output: 'outputs',
};

/** Fields that are not in `FIELDS`, for the error that lists all fields. */
const OTHER_FIELDS = [
  'inputs',
  'outputs',
  'is_root',
  'error',
  'tags',
  'thread_id',
  'metadata',
  'metadata_key',
  'metadata_value',
  'metadata.<key>',
  'feedback_key',
  'feedback_score',
  'feedback_value',
  'feedback_comment',
  'feedback_source',
];

/** Compiles a comparison of a run's own field. @throws FilterError */
export function compareField(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { field, op, value } = comparison;
  const isRoot = sql<boolean>`${sql.ref(`${alias}.parent_id`)} is null`;
  if (field === 'is_root') return compareBoolean(comparison, isRoot);
  if (field === 'execution_order') {
    // An old field of runs, which is 1 for roots.
    if (value === 1 && op === 'eq') return isRoot;
    throw new FilterError('use eq(is_root, true) or eq(execution_order, 1)', comparison.at);
  }
  if (field === 'error' && typeof value !== 'string') {
    const failed = sql<boolean>`${sql.ref(`${alias}.status`)} = 'error'`;
    if (value !== null) return compareBoolean(comparison, failed);
    if (op !== 'exists') refuseOrderOfNull(comparison);
    return op === 'eq' ? sql<boolean>`not (${failed})` : sql<boolean>`(${failed})`;
  }
  if (field === 'error') {
    throw new FilterError('error messages cannot be searched; use eq(error, true)', comparison.at);
  }
  const side = ownValue(WORD_FIELDS, field);
  if (side !== undefined && typeof value === 'string') {
    return op === 'neq'
      ? notTrue(wordsCondition(value, alias, { ...scope, lookup: undefined }, side))
      : wordsCondition(value, alias, scope, side);
  }
  if (side !== undefined) throw new FilterError(`${field} can only be searched for text`, comparison.at);
  const known = ownValue(FIELDS, field);
  if (known === undefined) {
    throw new FilterError(
      `unknown field '${field}'; fields are ${[...Object.keys(FIELDS), ...OTHER_FIELDS].join(', ')}`,
      comparison.at,
    );
  }
  const convert = (literal: Literal) => convertTo(known.kind, literal, comparison);
  return compareWith(known.column(alias), comparison, convert);
}

function columnOf(name: string): (alias: string) => RawBuilder<unknown> {
  return (alias) => sql.ref(`${alias}.${name}`);
}

function columnOrZero(name: string): (alias: string) => RawBuilder<unknown> {
  return (alias) => sql`coalesce(${sql.ref(`${alias}.${name}`)}, 0)`;
}

function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * Compiles `column op value`.
 * @param convert converts literals to the type of the column.
 * @throws FilterError for an operator that does not apply to the value.
 */
export function compareWith(
  column: RawBuilder<unknown>,
  { op, value, at }: Pick<Comparison, 'op' | 'value' | 'at'>,
  convert: (literal: Literal) => Literal = (literal) => literal,
): Condition {
  if (typeof value === 'object' && value !== null) {
    const among = isAmong(column, value.map(convert).map(asStored));
    if (op === 'in' || op === 'eq') return among;
    if (op === 'neq') return notTrue(among);
    throw new FilterError(`${op}() takes one value; use in() for a list`, at);
  }
  if (op === 'in') return isAmong(column, [asStored(convert(value))]);
  const single = asStored(convert(value));
  if (op === 'exists') return sql<boolean>`${column} is not null`;
  if (single === null) {
    refuseOrderOfNull({ op, at });
    return op === 'neq' ? sql<boolean>`${column} is not null` : sql<boolean>`${column} is null`;
  }
  switch (op) {
    case 'eq':
      return sql<boolean>`${column} = ${single}`;
    case 'neq':
      return sql<boolean>`${column} is distinct from ${single}`;
    case 'gt':
      return sql<boolean>`${column} > ${single}`;
    case 'gte':
      return sql<boolean>`${column} >= ${single}`;
    case 'lt':
      return sql<boolean>`${column} < ${single}`;
    case 'lte':
      return sql<boolean>`${column} <= ${single}`;
    case 'like':
      return isLike(column, checkPattern(String(single), at));
    case 'has':
    case 'search': {
      const pattern = checkPattern(`%${String(single).replace(/[\\%_]/g, '\\$&')}%`, at);
      return isLike(column, pattern, '\\');
    }
    default:
      throw new FilterError(`'${op}' cannot be used with this field`, at);
  }
}

/** @throws FilterError when an operator compares null other than by equality. */
function refuseOrderOfNull({ op, at }: Pick<Comparison, 'op' | 'at'>): void {
  if (op !== 'eq' && op !== 'neq') throw new FilterError('null can only be compared with eq and neq', at);
}

/** The maximum size of a pattern: SQLite refuses longer ones. */
const MAX_PATTERN_BYTES = 50_000;

function checkPattern(pattern: string, at: number): string {
  if (Buffer.byteLength(pattern) <= MAX_PATTERN_BYTES) return pattern;
  throw new FilterError(`the search text is longer than ${MAX_PATTERN_BYTES} bytes`, at);
}

/** Converts a literal to its stored form: SQLite has no booleans. */
function asStored(literal: Literal): string | number | null {
  return typeof literal === 'boolean' ? Number(literal) : literal;
}

/** Compiles a comparison of a condition with true or false. */
function compareBoolean({ op, value, at }: Comparison, condition: Condition): Condition {
  if (typeof value !== 'boolean' || (op !== 'eq' && op !== 'neq')) {
    throw new FilterError('compare this field with eq and true or false', at);
  }
  return value === (op === 'eq') ? sql<boolean>`(${condition})` : sql<boolean>`not (${condition})`;
}

/** Converts a literal for a numeric column. @throws FilterError when it is not a number. */
export function toNumber(literal: Literal, { field, at }: Pick<Comparison, 'field' | 'at'>): number | null {
  if (literal === null) return null;
  const isBlank = typeof literal === 'string' && literal.trim() === '';
  const number = isBlank ? Number.NaN : Number(literal);
  if (Number.isFinite(number)) return number;
  throw new FilterError(`${field} must be compared with a number`, at);
}

function convertTo(kind: Kind, literal: Literal, { field, at }: Comparison): Literal {
  if (literal === null) return null;
  switch (kind) {
    case 'text':
      return String(literal);
    case 'number':
      return toNumber(literal, { field, at });
    case 'time': {
      const micros = typeof literal === 'boolean' ? undefined : parseTime(literal);
      if (micros !== undefined) return micros;
      throw new FilterError(`${field} must be compared with a time in ISO 8601`, at);
    }
    case 'duration':
      return toDuration(literal, field, at);
  }
}

const MICROS_PER_UNIT: Readonly<Record<string, number>> = {
  us: 1,
  ms: 1000,
  s: 1e6,
  m: 6e7,
  h: 3.6e9,
  d: 8.64e10,
};

/** Reads a duration: seconds as a number, or text with a unit such as `"500ms"`. @returns microseconds */
function toDuration(literal: Literal, field: string, at: number): number {
  const match = /^(-?[\d.]+)\s*(us|ms|s|m|h|d)?$/.exec(String(literal).trim());
  const amount = Number(match?.[1] ?? Number.NaN);
  if (Number.isFinite(amount)) return amount * (MICROS_PER_UNIT[match?.[2] ?? 's'] ?? 1e6);
  throw new FilterError(`${field} must be compared with seconds, or text such as "500ms" or "5s"`, at);
}
