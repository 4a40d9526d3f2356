import type { RunsFilter } from '../../contract/tracing/runs.ts';
import type { Scalar } from '../../purge/scope.ts';

/** The filter of the Traces view; all conditions must match. */
export interface TraceFilter {
  /** Words in the inputs or outputs of a span. */
  readonly text?: string | undefined;
  readonly status?: 'success' | 'error' | 'pending' | undefined;
  /** The name of the trace's root. */
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, Scalar>> | undefined;
  readonly slowerThanSeconds?: number | undefined;
  readonly feedback?: FeedbackFilter | undefined;
}

interface FeedbackFilter {
  readonly key: string;
  readonly score?: 'good' | 'bad' | undefined;
}

/** A filter in the public filter language, for a query of root spans. */
export function queryOf(filter: TraceFilter): Pick<RunsFilter, 'filter' | 'tree_filter'> {
  const { text, status, name, metadata = {}, slowerThanSeconds, feedback } = filter;
  const conditions = [
    status && `eq(status, ${quote(status)})`,
    name && `eq(name, ${quote(name)})`,
    slowerThanSeconds && `gt(latency, "${slowerThanSeconds}s")`,
    ...Object.entries(metadata).map(
      ([key, value]) => `and(eq(metadata_key, ${quote(key)}), eq(metadata_value, ${quote(String(value))}))`,
    ),
    feedback && feedbackCondition(feedback),
  ].filter((condition) => typeof condition === 'string');
  return {
    ...(conditions.length > 0 && { filter: all(conditions) }),
    ...(text && { tree_filter: `search(${quote(text)})` }),
  };
}

/** Whether a filter has no conditions. */
export function isEmpty(filter: TraceFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

function feedbackCondition({ key, score }: FeedbackFilter): string {
  const hasKey = `eq(feedback_key, ${quote(key)})`;
  if (score === undefined) return hasKey;
  return `and(${hasKey}, ${score === 'good' ? 'gt(feedback_score, 0.5)' : 'lte(feedback_score, 0.5)'})`;
}

function all(conditions: readonly string[]): string {
  return conditions.length === 1 ? (conditions[0] ?? '') : `and(${conditions.join(', ')})`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
