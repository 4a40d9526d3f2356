import { sql } from 'kysely';
import { compareWith } from './compare-field.ts';
import type { Comparison, Condition, FilterScope } from './compile-filter.ts';

const COLUMNS: Readonly<Record<string, string>> = {
  feedback_key: 'feedback.name',
  feedback_score: 'feedback.score',
  feedback_value: 'feedback.value',
  feedback_comment: 'feedback.comment',
  feedback_source: 'feedback.source',
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
    compareWith(sql.ref(COLUMNS[comparison.field] ?? 'feedback.name'), comparison, (literal) =>
      typeof literal === 'boolean' ? Number(literal) : literal,
    ),
  );
  return sql<boolean>`exists (select 1 from feedback where feedback.run_id = ${sql.ref(`${alias}.id`)}
    and feedback.workspace = ${workspace} and ${sql.join(conditions, sql` and `)})`;
}
