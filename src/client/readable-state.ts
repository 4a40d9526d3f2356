import type { ThreadState } from '../contract/agent-server/threads.ts';
import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import type { CallOptions } from './transport.ts';

/**
 * Reads a state of a thread.
 * @param checkpoint_id without it, the newest state
 * @returns undefined for a state that LangGraph cannot show, such as one with writes that it refused
 * @throws RequestError for any other failure
 */
export async function readableState(
  { threads }: Pick<Client, 'threads'>,
  { thread_id, checkpoint_id }: { readonly thread_id: string; readonly checkpoint_id?: string | undefined },
  options: CallOptions = {},
): Promise<ThreadState | undefined> {
  try {
    return checkpoint_id === undefined
      ? await threads.getState({ params: { thread_id } }, options)
      : await threads.getStateAt({ params: { thread_id, checkpoint_id } }, options);
  } catch (error) {
    if (error instanceof RequestError && error.status === 400) return undefined;
    throw error;
  }
}
