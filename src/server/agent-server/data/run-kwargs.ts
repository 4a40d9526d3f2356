import { z } from 'zod';
import { Replay } from '../../../contract/agent-server/exchanges.ts';
import { StreamMode } from '../../../contract/agent-server/runs.ts';
import { CheckpointConfig, RunCommand } from '../../../contract/agent-server/threads.ts';
import { JsonObject } from '../../../contract/fields.ts';

/**
 * The stream modes of a run, including `extensions` for the graph's stream transformers, which only runs of
 * the v2 protocol use.
 */
export const RunMode = z.enum([...StreamMode.options, 'extensions']);
export type RunMode = z.output<typeof RunMode>;

/**
 * The request of a run, with the active version of the assistant applied, so that later changes of the
 * assistant do not affect it. It is stored as the run's `kwargs`, and read back after a restart.
 */
export const RunKwargs = z.looseObject({
  input: z.unknown(),
  command: RunCommand.nullable(),
  config: JsonObject,
  context: JsonObject,
  checkpoint: CheckpointConfig.nullable(),
  stream_mode: z.array(RunMode),
  stream_subgraphs: z.boolean(),
  stream_resumable: z.boolean(),
  interrupt_before: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  interrupt_after: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  durability: z.enum(['sync', 'async', 'exit']),
  langsmith_tracer: z
    .object({ project_name: z.string().nullish(), example_id: z.string().nullish() })
    .nullish(),
  strict_resume: z.boolean().nullish(),
  record: z.boolean().nullish(),
  replay: Replay.nullish(),
  max_cost: z.number().nullish(),
  feedback: z.record(z.string(), z.string()).nullish(),
  webhook: z.string().nullish(),
  /** Whether the thread is kept when the run ends; `keep_waiting` keeps it only while it is interrupted. */
  on_completion: z.enum(['delete', 'keep', 'keep_waiting']).nullish(),
});
export type RunKwargs = z.output<typeof RunKwargs>;
