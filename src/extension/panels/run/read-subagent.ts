import { z } from 'zod';
import type { Client } from '../../../client/client.ts';
import { RequestError } from '../../../client/request-error.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';

const Results = z.looseObject({ messages: z.array(z.looseObject({ tool_call_id: z.string().nullish() })) });

/**
 * Reads the newest state of the graph that a tool call has run, such as a subagent.
 * @param states of the thread
 * @returns undefined if the call has run no graph, or the graph's state was not kept
 * @throws RequestError
 */
export async function readSubagent(
  client: Client,
  thread_id: string,
  states: readonly ThreadState[],
  callId: string,
): Promise<unknown> {
  const checkpoint_ns = namespaceOf(states, callId);
  if (checkpoint_ns === undefined) return undefined;
  try {
    const state = await client.threads.getStateAtCheckpoint({
      params: { thread_id },
      body: { checkpoint: { thread_id, checkpoint_ns } },
    });
    return checkpointIdOf(state) === undefined ? undefined : state.values;
  } catch (error) {
    // Other servers answer with an error if the graph in the namespace has stored nothing.
    if (error instanceof RequestError && (error.status ?? 500) < 500) return undefined;
    throw error;
  }
}

/** The namespace of the task that answered a tool call. */
function namespaceOf(states: readonly ThreadState[], callId: string): string | undefined {
  for (const { tasks } of states)
    for (const { id, name, result } of tasks) {
      const { messages = [] } = Results.safeParse(result).data ?? {};
      if (messages.some(({ tool_call_id }) => tool_call_id === callId)) return `${name}:${id}`;
    }
  return undefined;
}
