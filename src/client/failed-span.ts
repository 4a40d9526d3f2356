import { errorPlace } from './error-frames.ts';

/** The fields of a span by which its failure is found. */
export interface FailedSpan {
  readonly id?: unknown;
  readonly parent_run_id?: unknown;
  readonly error: string;
}

/**
 * The span in which a failure began: the deepest of those that failed first. If its stack is entirely
 * inside libraries, the nearest enclosing one with a frame in the project.
 * @param spans the failed spans of a trace, in the order of their starts
 * @returns `undefined` without spans
 */
export function failedSpan(spans: readonly FailedSpan[]): FailedSpan | undefined {
  const parents = new Set(spans.map(({ parent_run_id }) => parent_run_id));
  const deepest = spans.find(({ id }) => !parents.has(id));
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (let span = deepest; span !== undefined; span = byId.get(span.parent_run_id)) {
    if (errorPlace(span.error) !== undefined) return span;
    // A damaged file can name a span as its own ancestor.
    byId.delete(span.id);
  }
  return deepest;
}
