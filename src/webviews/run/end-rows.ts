import type { GivenFeedback } from '../../extension/panels/feedback.ts';
import type { RowOf } from './transcript-model.ts';

type EndRow = RowOf<'end'>;

/** Adds feedback to the row of a run's end, or replaces the feedback with the same ID. */
export function withFeedback(row: EndRow, given: GivenFeedback): EndRow {
  const isKnown = row.feedback.some(({ id }) => id === given.id);
  const feedback = isKnown
    ? row.feedback.map((one) => (one.id === given.id ? given : one))
    : [...row.feedback, given];
  return { ...row, feedback };
}

/** Removes feedback from the row of a run's end. */
export function withoutFeedback(row: EndRow, feedbackId: string): EndRow {
  return { ...row, feedback: row.feedback.filter(({ id }) => id !== feedbackId) };
}

/** Adds the numbers from a run's trace to the row of its end. */
export function withCost(
  row: EndRow,
  cost: { readonly duration_ms: number; readonly tokens: number; readonly dollars?: number },
): EndRow {
  const { duration_ms: durationMs, tokens, dollars } = cost;
  return { ...row, durationMs, tokens, ...(dollars !== undefined && { dollars }) };
}
