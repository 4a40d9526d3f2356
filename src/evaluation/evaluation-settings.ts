import { z } from 'zod';

const Share = z.number().min(0, 'Must be at least 0.').max(1, 'Must be at most 1.');

/** How a dataset is evaluated: the header of its file (docs/evaluation.md#the-header). */
export const EvaluationSettings = z.strictObject({
  /** The dataset's name on the platform; the name of the file when absent. */
  name: z.string().min(1).optional(),
  /** A graph in langgraph.json; not needed if there is only one. */
  graph: z.string().min(1).optional(),
  /** Names of evaluators; all of the project's when absent. */
  evaluators: z.array(z.string().min(1)).optional(),
  repetitions: z.int().min(1, 'Must be at least 1.').max(100, 'Must be at most 100.').default(1),
  concurrency: z.int().min(1, 'Must be at least 1.').max(64, 'Must be at most 64.').default(4),
  timeout_seconds: z.number().positive('Must be more than 0.').default(300),
  /** The most that all runs together may use; no run is started beyond it. */
  budget: z
    .strictObject({ tokens: z.int().positive().optional(), cost: z.number().positive().optional() })
    .default({}),
  /** The score with which a run passes, by key; 1 when absent, and null for a score that is only recorded. */
  pass: z.record(z.string(), z.number().nullable()).default({}),
  /** The minimum mean of a score, by key. */
  thresholds: z.record(z.string(), z.number()).default({}),
  /** The minimum share of runs that pass. */
  pass_rate: Share.default(1),
  /** Whether models and tools answer from an example's cassette, where it has one. */
  cassettes: z.boolean().default(true),
  /** `configurable` of every run. */
  configurable: z.record(z.string(), z.unknown()).optional(),
  /** `context` of every run. */
  context: z.record(z.string(), z.unknown()).optional(),
});
export type EvaluationSettings = z.output<typeof EvaluationSettings>;
