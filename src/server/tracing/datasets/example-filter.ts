import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import {
  type Expression,
  FilterError,
  fieldNameOf,
  type Literal,
  parseFilter,
} from '../query/filter-language.ts';

/**
 * The filter language over examples: `exists(metadata, "key")`, `has(metadata, '{"key": "value"}')`,
 * `eq(id, "…")`, joined by and, or and not.
 * @throws HttpError 422 saying where the filter is wrong.
 */
export function exampleFilter(text: string): RawBuilder<boolean> {
  try {
    return compile(parseFilter(text));
  } catch (error) {
    if (error instanceof FilterError) throw invalid(['query', 'filter'], error.message, 'filter');
    throw error;
  }
}

function compile(expression: Expression): RawBuilder<boolean> {
  if (expression.kind !== 'call') throw new FilterError('a comparison expected', expression.at);
  const { name, args, at } = expression;
  if (name === 'and' || name === 'or') {
    if (args.length === 0) throw new FilterError(`${name}() needs something in it`, at);
    return sql<boolean>`(${sql.join(args.map(compile), name === 'and' ? sql` and ` : sql` or `)})`;
  }
  if (name === 'not') {
    const [only] = args;
    if (only === undefined) throw new FilterError('not() takes one comparison', at);
    return sql<boolean>`not (${compile(only)})`;
  }
  const [field, argument] = args;
  const fieldName = field && fieldNameOf(field);
  if (fieldName === undefined || argument?.kind !== 'literal') {
    throw new FilterError(`${name}() takes a field and a value`, at);
  }
  return compare(name, fieldName, argument.value, at);
}

const COLUMNS = ['id', 'source_run_id', 'name'];

function compare(op: string, field: string, value: Literal, at: number): RawBuilder<boolean> {
  if (field === 'metadata' && op === 'exists') {
    return sql<boolean>`json_type(example_versions.metadata, ${`$."${String(value).replaceAll('"', '')}"`}) is not null`;
  }
  if (field === 'metadata' && op === 'has') {
    try {
      JSON.parse(String(value));
    } catch {
      throw new FilterError('has(metadata, …) takes a JSON object as text', at);
    }
    return sql<boolean>`json_contains(example_versions.metadata, ${String(value)})`;
  }
  const column = COLUMNS.find((name) => name === field);
  if (column === undefined || (op !== 'eq' && op !== 'neq')) {
    throw new FilterError(`${op}(${field}, …) is not understood`, at);
  }
  const reference = sql.ref(`example_versions.${column}`);
  return op === 'eq' ? sql<boolean>`${reference} = ${value}` : sql<boolean>`${reference} is not ${value}`;
}
