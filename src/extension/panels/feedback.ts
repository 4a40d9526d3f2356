import { z } from 'zod';
import type { FeedbackUpdate } from '../../contract/tracing/feedback.ts';

/** Feedback that a user gives in a panel: a score, a comment or a correction, or several of them. */
export const FeedbackByPerson = z.object({
  run_id: z.string(),
  key: z.string().min(1).max(180),
  score: z.number().optional(),
  comment: z.string().optional(),
  /** The output as it should have been. */
  correction: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  /** The ID of the feedback that it replaces. */
  replaces: z.uuid().optional(),
});
export type FeedbackByPerson = z.output<typeof FeedbackByPerson>;

/** Feedback that a user deletes in a panel. */
export const FeedbackToDelete = z.object({ run_id: z.string(), feedback_id: z.uuid() });
export type FeedbackToDelete = z.output<typeof FeedbackToDelete>;

/** Marks feedback given in a panel, to recognize it later. */
export const panelMetadata = { given_in: 'agent-harbor' } as const;

/** Feedback that a run has, from any source. */
export interface GivenFeedback {
  readonly id: string;
  readonly key: string;
  readonly score?: number | boolean | undefined;
  readonly value?: unknown;
  readonly comment?: string | undefined;
  readonly correction?: unknown;
  /**
   * Whether it was given in a panel, or in the same way on the platform's own pages. There is one such record
   * per key, which the thumbs change.
   */
  readonly isOwn?: boolean;
  /** Whether it cannot be changed here, because the platform did not return an ID. */
  readonly isFixed?: boolean;
}

/** Converts feedback to the form that panels show, without empty fields. */
export function toGivenFeedback(feedback: {
  readonly id: string;
  readonly key: string;
  readonly score?: number | boolean | null | undefined;
  readonly value?: unknown;
  readonly comment?: string | null | undefined;
  readonly correction?: unknown;
  readonly feedback_source?: unknown;
}): GivenFeedback {
  const { id, key, score, value, comment, correction, feedback_source } = feedback;
  return {
    id,
    key,
    ...(score === null || score === undefined ? {} : { score }),
    ...(value === null || value === undefined ? {} : { value }),
    ...(comment ? { comment } : {}),
    ...(correction === null || correction === undefined ? {} : { correction }),
    ...(OwnSource.safeParse(feedback_source).success && { isOwn: true }),
  };
}

/**
 * The source of feedback that a person gave in a panel or on a platform's own pages: an app, or a link whose
 * metadata has the mark of panels.
 */
const OwnSource = z.union([
  z.looseObject({ type: z.literal('app') }),
  z.looseObject({ metadata: z.looseObject({ given_in: z.literal(panelMetadata.given_in) }) }),
]);

/** The update that replaces a record's score, comment and correction. Absent ones are cleared. */
export function replacement({ score, comment, correction }: FeedbackByPerson): FeedbackUpdate {
  return { score: score ?? null, comment: comment ?? null, correction: correction ?? null };
}
