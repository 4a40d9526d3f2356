import { type RawBuilder, sql } from 'kysely';
import { type Condition, notTrue } from '../database/condition.ts';
import { parseTime } from '../database/time.ts';
import { compareWith, refuseOrderOfNull, toNumber } from './compare-with.ts';
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

/** Compiles a comparison of a condition with true or false. */
function compareBoolean({ op, value, at }: Comparison, condition: Condition): Condition {
  if (typeof value !== 'boolean' || (op !== 'eq' && op !== 'neq')) {
    throw new FilterError('compare this field with eq and true or false', at);
  }
  return value === (op === 'eq') ? sql<boolean>`(${condition})` : sql<boolean>`not (${condition})`;
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
