import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import { notTrue } from '../database/condition.ts';
import {
  type Comparison,
  type Expression,
  FilterError,
  fieldNameOf,
  literalOf,
  parseFilter,
} from './filter-language.ts';

/**
 * Compiles a filter of projects or examples: comparisons joined by and, or and not. (`compileFilter` is for runs.)
 * @param compare compiles one comparison, and throws FilterError if it is not supported.
 * @throws HttpError 422 locating the error in the filter.
 */
export function compileComparisons(
  text: string,
  compare: (comparison: Comparison) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  try {
    return compile(parseFilter(text), compare);
  } catch (error) {
    if (error instanceof FilterError) throw invalid(['query', 'filter'], error.message, 'filter');
    throw error;
  }
}

function compile(
  expression: Expression,
  compare: (comparison: Comparison) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  if (expression.kind !== 'call') throw new FilterError('expected a comparison', expression.at);
  const { name: op, args, at } = expression;
  const [first, second] = args;
  if (first === undefined) throw new FilterError(`${op}() needs at least one comparison`, at);
  if (op === 'and' || op === 'or') {
    const parts = args.map((part) => compile(part, compare));
    return sql<boolean>`(${sql.join(parts, op === 'and' ? sql` and ` : sql` or `)})`;
  }
  if (op === 'not') return notTrue(compile(first, compare));
  const field = fieldNameOf(first);
  if (field === undefined || second === undefined || args.length > 2) {
    throw new FilterError(`${op}() takes a field and a value`, at);
  }
  const value = second.kind === 'list' ? second.items.map(literalOf) : literalOf(second);
  return compare({ op, field, value, at });
}
