import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import { compareWith } from '../query/compare-field.ts';
import {
  type Expression,
  FilterError,
  fieldNameOf,
  type Literal,
  parseFilter,
} from '../query/filter-language.ts';
import { parseTime } from '../time.ts';

const TEXTS = ['id', 'name', 'description', 'reference_dataset_id'];
const TIMES = ['start_time', 'end_time', 'last_run_start_time'];

/**
 * The filter language over projects: `like(name, "%x%")`, `gt(start_time, "…")`, `has(metadata, '{"key": "value"}')`,
 * joined by and, or and not.
 * @throws HttpError 422 saying where the filter is wrong.
 */
export function sessionFilter(text: string): RawBuilder<boolean> {
  try {
    return compile(parseFilter(text));
  } catch (error) {
    if (error instanceof FilterError) throw invalid(['query', 'filter'], error.message, 'filter');
    throw error;
  }
}

function compile(expression: Expression): RawBuilder<boolean> {
  if (expression.kind !== 'call') throw new FilterError('a comparison expected', expression.at);
  const { name: op, args, at } = expression;
  const [first, second] = args;
  if (first === undefined) throw new FilterError(`${op}() needs something in it`, at);
  if (op === 'and' || op === 'or') {
    return sql<boolean>`(${sql.join(args.map(compile), op === 'and' ? sql` and ` : sql` or `)})`;
  }
  if (op === 'not') return sql<boolean>`not coalesce(${compile(first)}, 0)`;
  const field = fieldNameOf(first);
  if (field === undefined || second === undefined || args.length > 2) {
    throw new FilterError(`${op}() takes a field and a value`, at);
  }
  const value = second.kind === 'list' ? second.items.map(literalOf) : literalOf(second);
  if (field === 'metadata' && op === 'has') return hasMetadata(value, at);
  if (TIMES.includes(field))
    return compareWith(sql.ref(field), { op, value, at }, (each) => timeOf(each, at));
  if (TEXTS.includes(field)) return compareWith(sql.ref(field), { op, value, at });
  throw new FilterError(`no field '${field}'; there are ${[...TEXTS, ...TIMES, 'metadata'].join(', ')}`, at);
}

function hasMetadata(value: unknown, at: number): RawBuilder<boolean> {
  try {
    const wanted = JSON.stringify({ metadata: JSON.parse(String(value)) });
    return sql<boolean>`(extra is not null and json_contains(extra, ${wanted}))`;
  } catch {
    throw new FilterError('has(metadata, …) takes a JSON object as text', at);
  }
}

function timeOf(value: Literal, at: number): number {
  const micros = typeof value === 'string' || typeof value === 'number' ? parseTime(value) : undefined;
  if (micros === undefined) throw new FilterError('a time in ISO 8601 expected', at);
  return micros;
}

function literalOf(expression: Expression): Literal {
  if (expression.kind === 'literal') return expression.value;
  throw new FilterError('a string, a number, true, false or null expected', expression.at);
}
