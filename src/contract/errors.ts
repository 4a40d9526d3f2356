import { z } from 'zod';

/** One failed check: where (`["body", "name"]`), what is wrong in words, and a machine-readable kind. */
export const ValidationIssue = z.object({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
});
export type ValidationIssue = z.output<typeof ValidationIssue>;

/** The body of a 422 (docs/interface/README.md#rules-for-all-areas). */
export const ValidationErrorBody = z.object({
  detail: z.array(ValidationIssue),
  /** All issues in one sentence, which the public SDKs show. */
  message: z.string().optional(),
});

/** The body of every other error. */
export const ErrorBody = z.object({ detail: z.string() });
