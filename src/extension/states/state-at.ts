import type { Client } from '../../client/client.ts';
import type { ThreadState } from '../../contract/agent-server/threads.ts';

/** The state of a thread at a checkpoint, the newest when none is named. @throws RequestError */
export function readStateAt(
  client: Client,
  thread_id: string,
  checkpoint_id: string | undefined,
): Promise<ThreadState> {
  return checkpoint_id === undefined
    ? client.threads.getState({ params: { thread_id } })
    : client.threads.getStateAt({ params: { thread_id, checkpoint_id } });
}
