import { z } from 'zod';

const Share = z.number().min(0, 'Must be at least 0.').max(1, 'Must be at most 1.');

/** The settings of an evaluation, from the header of the dataset's file (docs/evaluation.md#the-header). */
export const EvaluationSettings = z.strictObject({
  /** The dataset's name on the platform; by default the name of the file. */
  name: z.string().min(1).optional(),
  /** A graph in langgraph.json; not needed if there is only one. */
  graph: z.string().min(1).optional(),
  /** The names of evaluators; by default all of the project. */
  evaluators: z.array(z.string().min(1)).optional(),
  repetitions: z.int().min(1, 'Must be at least 1.').max(100, 'Must be at most 100.').default(1),
  concurrency: z.int().min(1, 'Must be at least 1.').max(64, 'Must be at most 64.').default(4),
  timeout_seconds: z.number().positive('Must be more than 0.').default(300),
  /** The tokens or dollars that all runs together may use. Once they are used, no further run is started. */
  budget: z
    .strictObject({ tokens: z.int().positive().optional(), cost: z.number().positive().optional() })
    .default({}),
  /** The minimum score with which a run passes, by key; by default 1. A score with null is only recorded. */
  pass: z.record(z.string(), z.number().nullable()).default({}),
  /** The minimum mean of a score, by key. */
  thresholds: z.record(z.string(), z.number()).default({}),
  /** The minimum share of runs that pass. */
  pass_rate: Share.default(1),
  /** Whether runs of examples with a cassette get its recorded answers. */
  cassettes: z.boolean().default(true),
  /** The `configurable` of every run. */
  configurable: z.record(z.string(), z.unknown()).optional(),
  /** The `context` of every run. */
  context: z.record(z.string(), z.unknown()).optional(),
});
export type EvaluationSettings = z.output<typeof EvaluationSettings>;
