import { sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import { type Condition, notTrue } from '../database/condition.ts';
import { compareField } from './compare-field.ts';
import { feedbackCondition, isFeedbackField } from './filter-feedback.ts';
import {
  entryCondition,
  isEntryField,
  metadataCondition,
  tagCondition,
  threadCondition,
} from './filter-labels.ts';
import {
  type Comparison,
  type Expression,
  FilterError,
  fieldNameOf,
  literalOf,
  parseFilter,
} from './filter-language.ts';
import type { FilterScope } from './filter-scope.ts';
import { wordsCondition } from './search-words.ts';

/**
 * Compiles a filter into a condition on rows of runs.
 * @param alias the alias of the runs table. @param source the request's field, for errors. @throws HttpError 422
 * locating the error in the filter.
 */
export function compileFilter(text: string, alias: string, scope: FilterScope, source: string): Condition {
  try {
    return compile(parseFilter(text), alias, scope);
  } catch (error) {
    if (error instanceof FilterError) throw invalid(['body', source], error.message, 'filter');
    throw error;
  }
}

function compile(expression: Expression, alias: string, scope: FilterScope): Condition {
  if (expression.kind !== 'call') {
    throw new FilterError('expected a comparison such as eq(name, "x")', expression.at);
  }
  const { name, args, at } = expression;
  switch (name) {
    case 'and':
      return conjunction(args, alias, scope, at);
    case 'or':
      if (args.length === 0) throw new FilterError('or() needs at least one comparison', at);
      return sql<boolean>`(${sql.join(
        args.map((argument) => compile(argument, alias, { ...scope, lookup: undefined })),
        sql` or `,
      )})`;
    case 'not': {
      const [only] = args;
      if (only === undefined || args.length > 1) throw new FilterError('not() takes one comparison', at);
      return notTrue(compile(only, alias, { ...scope, lookup: undefined }));
    }
    case 'search': {
      if (args[0]?.kind === 'field') return compare(comparisonOf(expression), alias, scope);
      const texts = args.map(literalOf);
      return wordsCondition(texts.map(String).join(' '), alias, scope);
    }
    default:
      return compare(comparisonOf(expression), alias, scope);
  }
}

/**
 * Compiles an `and`. A key and the comparisons up to the next key refer to the same metadata entry, or to the
 * same feedback; comparisons before the first key belong to that key: `and(eq(metadata_key, "plan"),
 * eq(metadata_value, "free"))`.
 */
function conjunction(args: readonly Expression[], alias: string, scope: FilterScope, at: number): Condition {
  if (args.length === 0) throw new FilterError('and() needs at least one comparison', at);
  const entries: Comparison[] = [];
  const feedback: Comparison[] = [];
  const conditions: Condition[] = [];
  for (const argument of args) {
    const comparison = argument.kind === 'call' ? tryComparison(argument) : undefined;
    if (comparison !== undefined && isEntryField(comparison.field)) entries.push(comparison);
    else if (comparison !== undefined && isFeedbackField(comparison.field)) feedback.push(comparison);
    else conditions.push(compile(argument, alias, scope));
  }
  for (const group of groupsByKey(entries, 'metadata_key'))
    conditions.push(groupCondition(group, entryCondition, alias, scope));
  for (const group of groupsByKey(feedback, 'feedback_key'))
    conditions.push(groupCondition(group, feedbackCondition, alias, scope));
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/**
 * The condition for runs with a metadata entry, or feedback, that matches a group of comparisons. If the key is
 * required, `neq` compares the value of the entry; otherwise, it means that no such entry exists, as in the public
 * guide.
 */
function groupCondition(
  group: readonly Comparison[],
  compileGroup: typeof entryCondition,
  alias: string,
  scope: FilterScope,
): Condition {
  const hasKey = group.some(({ op, field }) => op !== 'neq' && field.endsWith('_key'));
  const isAbsence = ({ op, value }: Comparison) => op === 'neq' && value !== null && !hasKey;
  const present = group.filter((comparison) => !isAbsence(comparison));
  const absent = group.filter(isAbsence).map((comparison) => {
    return notTrue(compileGroup([{ ...comparison, op: 'eq' }], alias, { ...scope, lookup: undefined }));
  });
  const conditions = present.length === 0 ? absent : [compileGroup(present, alias, scope), ...absent];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/**
 * Groups comparisons: each group has a key and the comparisons up to the next key. The first group also has
 * the comparisons before its key, and may have no key.
 */
function groupsByKey(comparisons: readonly Comparison[], key: string): Comparison[][] {
  const groups: Comparison[][] = [];
  for (const comparison of comparisons) {
    const last = groups.at(-1);
    if (last === undefined || (comparison.field === key && last.some((other) => other.field === key)))
      groups.push([comparison]);
    else last.push(comparison);
  }
  return groups;
}

function compare(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { field } = comparison;
  const key = metadataKeyOf(field);
  if (key !== undefined) {
    const named = { ...comparison, op: 'eq', field: 'metadata_key', value: key };
    const valued = comparison.op === 'exists' ? [] : [{ ...comparison, field: 'metadata_value' }];
    return groupCondition([named, ...valued], entryCondition, alias, scope);
  }
  if (isEntryField(field)) return groupCondition([comparison], entryCondition, alias, scope);
  if (isFeedbackField(field)) return groupCondition([comparison], feedbackCondition, alias, scope);
  if (field === 'metadata') return metadataCondition(comparison, alias, scope);
  if (field === 'thread_id') return threadCondition(comparison, alias, scope);
  if (field === 'tags' || field === 'tag') return tagCondition(comparison, alias, scope);
  return compareField(comparison, alias, scope);
}

/** The metadata key in `metadata.plan`, or in the path in runs, `extra.metadata.plan`. */
function metadataKeyOf(field: string): string | undefined {
  return /^(?:extra\.)?metadata\.(.+)$/.exec(field)?.[1];
}

function tryComparison(expression: Extract<Expression, { kind: 'call' }>): Comparison | undefined {
  return ['and', 'or', 'not', 'search'].includes(expression.name) ? undefined : comparisonOf(expression);
}

const OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'has', 'like', 'exists', 'search'];

function comparisonOf({ name, args, at }: Extract<Expression, { kind: 'call' }>): Comparison {
  if (!OPERATORS.includes(name)) {
    throw new FilterError(
      `unknown function '${name}'; functions are and, or, not, ${OPERATORS.join(', ')}`,
      at,
    );
  }
  const [field, value] = args;
  const fieldName = field && fieldNameOf(field);
  if (fieldName === undefined || (value === undefined && name !== 'exists') || args.length > 2) {
    throw new FilterError(`${name}() takes a field and a value`, at);
  }
  if (value === undefined) return { op: name, field: fieldName, value: null, at };
  if (value.kind === 'list') {
    return { op: name, field: fieldName, value: value.items.map(literalOf), at };
  }
  return { op: name, field: fieldName, value: literalOf(value), at };
}
