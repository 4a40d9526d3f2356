import { type RawBuilder, sql } from 'kysely';
import { textIn, textOfJson } from '../../storage/dialect-expressions.ts';
import type { Condition } from '../database/condition.ts';
import { compareWith, toNumber } from './compare-with.ts';
import { type Comparison, FilterError } from './filter-language.ts';
import type { FilterScope } from './filter-scope.ts';

/** The columns that the fields of feedback compare. */
const COLUMNS: Readonly<Record<string, RawBuilder<unknown>>> = {
  feedback_key: sql.ref('feedback.name'),
  feedback_score: sql.ref('feedback.score'),
  // Values and sources are stored as JSON.
  feedback_value: textOfJson('feedback.value'),
  feedback_comment: sql.ref('feedback.comment'),
  feedback_source: textIn('feedback.source', 'type'),
};

/** Whether a filter compares feedback with this field. */
export function isFeedbackField(field: string): boolean {
  return Object.hasOwn(COLUMNS, field);
}

/**
 * The condition for runs with feedback that matches all comparisons. @throws FilterError if the caller must not see
 * feedback.
 */
export function feedbackCondition(
  group: readonly Comparison[],
  alias: string,
  { workspace, withFeedback }: FilterScope,
): Condition {
  if (!withFeedback) {
    throw new FilterError('feedback of a shared trace cannot be filtered', group[0]?.at ?? 0);
  }
  const conditions = group.map((comparison) =>
    compareWith(columnOf(comparison), comparison, (literal) =>
      comparison.field === 'feedback_score' ? toNumber(literal, comparison) : literal,
    ),
  );
  return sql<boolean>`exists (select 1 from feedback where feedback.run_id = ${sql.ref(`${alias}.id`)}
    and feedback.workspace = ${workspace} and ${sql.join(conditions, sql` and `)})`;
}

function columnOf({ field, at }: Comparison): RawBuilder<unknown> {
  const column = COLUMNS[field];
  if (column === undefined) throw new FilterError(`'${field}' is not a field of feedback`, at);
  return column;
}
