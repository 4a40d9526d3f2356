import { type RawBuilder, sql } from 'kysely';
import { compareWith } from './compare-field.ts';
import type { Comparison, Condition, FilterScope } from './compile-filter.ts';

const COLUMNS: Readonly<Record<string, RawBuilder<unknown>>> = {
  feedback_key: sql.ref('feedback.name'),
  feedback_score: sql.ref('feedback.score'),
  // Values and sources are stored as JSON.
  feedback_value: sql`(feedback.value ->> '$')`,
  feedback_comment: sql.ref('feedback.comment'),
  feedback_source: sql`(feedback.source ->> '$.type')`,
};

export function isFeedbackField(field: string): boolean {
  return field in COLUMNS;
}

/** Runs with a feedback that all of the comparisons hold for. */
export function feedbackCondition(
  group: readonly Comparison[],
  alias: string,
  { workspace }: FilterScope,
): Condition {
  const conditions = group.map((comparison) =>
    compareWith(COLUMNS[comparison.field] ?? sql.ref('feedback.name'), comparison, (literal) =>
      typeof literal === 'boolean' ? Number(literal) : literal,
    ),
  );
  return sql<boolean>`exists (select 1 from feedback where feedback.run_id = ${sql.ref(`${alias}.id`)}
    and feedback.workspace = ${workspace} and ${sql.join(conditions, sql` and `)})`;
}
