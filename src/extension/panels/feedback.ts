import { z } from 'zod';

/** Feedback as a person gives it in a panel: a score, a comment or a correction, or several of them. */
export const FeedbackByPerson = z.object({
  run_id: z.string(),
  key: z.string().min(1).max(180),
  score: z.number().optional(),
  comment: z.string().optional(),
  /** What the output should have been. */
  correction: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
});
export type FeedbackByPerson = z.output<typeof FeedbackByPerson>;

/** Feedback that a run has, whoever gave it. */
export interface GivenFeedback {
  readonly id: string;
  readonly key: string;
  readonly score?: number | boolean | undefined;
  readonly value?: unknown;
  readonly comment?: string | undefined;
  readonly correction?: unknown;
}

/** Feedback without the fields that say nothing. */
export function givenFeedback(feedback: {
  readonly id: string;
  readonly key: string;
  readonly score?: number | boolean | null | undefined;
  readonly value?: unknown;
  readonly comment?: string | null | undefined;
  readonly correction?: unknown;
}): GivenFeedback {
  const { id, key, score, value, comment, correction } = feedback;
  return {
    id,
    key,
    ...(score === null || score === undefined ? {} : { score }),
    ...(value === null || value === undefined ? {} : { value }),
    ...(comment ? { comment } : {}),
    ...(correction === null || correction === undefined ? {} : { correction }),
  };
}
