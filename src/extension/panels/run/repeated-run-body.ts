import { z } from 'zod';
import type { Client } from '../../../client/client.ts';
import { RunCreate } from '../../../contract/agent-server/runs.ts';
import type { ListedRun } from './thread-reading.ts';

/** The body of the request for a run on a thread. */
export type RunBody = Parameters<Client['runs']['create']>[0]['body'];

/** The fields of a stored request that a repeated run takes over, without the server's own additions. */
const StoredRequest = RunCreate.pick({
  config: true,
  context: true,
  interrupt_before: true,
  interrupt_after: true,
  stream_subgraphs: true,
  stream_resumable: true,
  durability: true,
  webhook: true,
  record: true,
  max_cost: true,
}).partial();
const Modes = z.array(z.string());
const Keys = z.record(z.string(), z.unknown());

/** Names that servers add to a caller's settings. */
const ADDED_BY_SERVER =
  /^(?:__|langgraph_|checkpoint_|(?:thread|run|assistant|graph|user)_id$|user$|run_attempt$)/;

/**
 * The body of a request that repeats a run with an input, queued behind the others.
 * @param run as listed with all its fields
 */
export function repeatedRunBody(run: ListedRun, input: unknown): RunBody {
  // Runs that are listed without `select` have all fields. The type does not say so.
  const { kwargs = {}, assistant_id = '', metadata = {} } = run;
  const { config, ...rest } = StoredRequest.parse(kwargs);
  const { configurable, recursion_limit, tags } = config ?? {};
  const own = Object.entries(configurable ?? {}).filter(([name]) => !ADDED_BY_SERVER.test(name));
  const modes = RunCreate.shape.stream_mode.safeParse(Modes.safeParse(kwargs.stream_mode).data);
  const keys = Object.keys(Keys.safeParse(kwargs.feedback).data ?? {});
  return {
    ...rest,
    assistant_id,
    input,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !ADDED_BY_SERVER.test(name))),
    config: { recursion_limit, tags, ...(own.length > 0 && { configurable: Object.fromEntries(own) }) },
    ...(modes.success && { stream_mode: modes.data }),
    ...(keys.length > 0 && { feedback_keys: keys }),
    multitask_strategy: 'enqueue',
  };
}
