import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import { type Expression, FilterError, fieldNameOf, type Literal, parseFilter } from './filter-language.ts';

/** A comparison `op(field, value)` in a filter of projects or examples. */
export interface FieldComparison {
  readonly op: string;
  readonly field: string;
  readonly value: Literal | readonly Literal[];
  readonly at: number;
}

/**
 * Compiles a filter for a list of anything but runs: comparisons joined by and, or and not. @param compare compiles one
 * comparison. @throws FilterError @throws HttpError 422 locating the error in the filter.
 */
export function compileComparisons(
  text: string,
  compare: (comparison: FieldComparison) => RawBuilder<boolean>,
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
  compare: (comparison: FieldComparison) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  if (expression.kind !== 'call') throw new FilterError('expected a comparison', expression.at);
  const { name: op, args, at } = expression;
  const [first, second] = args;
  if (first === undefined) throw new FilterError(`${op}() needs at least one comparison`, at);
  if (op === 'and' || op === 'or') {
    const parts = args.map((part) => compile(part, compare));
    return sql<boolean>`(${sql.join(parts, op === 'and' ? sql` and ` : sql` or `)})`;
  }
  // Null counts as false, so that rows without the field match `not`.
  if (op === 'not') return sql<boolean>`not coalesce(${compile(first, compare)}, false)`;
  const field = fieldNameOf(first);
  if (field === undefined || second === undefined || args.length > 2) {
    throw new FilterError(`${op}() takes a field and a value`, at);
  }
  const value = second.kind === 'list' ? second.items.map(literalOf) : literalOf(second);
  return compare({ op, field, value, at });
}

function literalOf(expression: Expression): Literal {
  if (expression.kind === 'literal') return expression.value;
  throw new FilterError('expected a string, a number, true, false or null', expression.at);
}
