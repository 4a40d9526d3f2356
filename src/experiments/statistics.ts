import { z } from 'zod';

/**
 * Fields that platforms add to a project that is requested with its statistics. Values of other types are
 * ignored.
 */
export const Statistics = z.object({
  run_count: z.number().nullish().catch(undefined),
  /** The median, in seconds. */
  latency_p50: z.number().nullish().catch(undefined),
  /** The share of runs that failed, from 0 to 1. */
  error_rate: z.number().nullish().catch(undefined),
  total_tokens: z.number().nullish().catch(undefined),
  /** The total of all runs in US dollars, as decimal text or a number. */
  total_cost: z.union([z.number(), z.string()]).nullish().catch(undefined),
  feedback_stats: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});
