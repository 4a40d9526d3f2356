import { z } from 'zod';
import { StreamMode } from '../contract/agent-server/runs.ts';
import { JsonObject } from '../contract/fields.ts';
import { objectAt } from '../process/objects.ts';

/**
 * The fields of a run that a replay repeats, as the server stored them. Those that are null or missing get
 * the values of an unused field.
 */
export const RunKwargs = z.looseObject({
  input: z.unknown(),
  command: z.unknown(),
  config: JsonObject.catch({}),
  context: JsonObject.catch({}),
  record: z.boolean().nullish(),
  max_cost: z.number().nullish(),
  // The mode `extensions` is internal to the v2 protocol; the API does not accept it.
  stream_mode: z
    .array(z.string())
    .catch([])
    .transform((modes) => modes.flatMap((mode) => StreamMode.safeParse(mode).data ?? [])),
  stream_subgraphs: z.boolean().catch(false),
  interrupt_before: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  interrupt_after: z.union([z.literal('*'), z.array(z.string())]).nullish(),
});
export type RunKwargs = z.output<typeof RunKwargs>;

/**
 * The request for a run, apart from its input and its cost limit, which a replay does not need. Its config has only the
 * tags, the limits, the name, and the fields of `configurable` that the server did not add itself.
 */
export function settingsOf(kwargs: RunKwargs) {
  const { tags, recursion_limit, max_concurrency, run_name } = kwargs.config;
  const configurable = Object.fromEntries(
    Object.entries(objectAt(kwargs.config, 'configurable')).filter(
      ([name]) => !name.startsWith('langgraph_auth') && !name.startsWith('__'),
    ),
  );
  const config = {
    ...(Array.isArray(tags) && tags.length > 0 ? { tags } : {}),
    ...(recursion_limit === undefined ? {} : { recursion_limit }),
    ...(max_concurrency === undefined ? {} : { max_concurrency }),
    ...(run_name === undefined ? {} : { run_name }),
    configurable,
  };
  return {
    context: kwargs.context,
    config: JsonObject.parse(config),
    interrupt_before: kwargs.interrupt_before ?? null,
    interrupt_after: kwargs.interrupt_after ?? null,
    stream_mode: kwargs.stream_mode,
    stream_subgraphs: kwargs.stream_subgraphs,
  };
}
