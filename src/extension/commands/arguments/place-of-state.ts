import { CheckpointElement } from '../../views/threads.ts';
import type { CheckpointPlace } from './read-argument.ts';

/**
 * The checkpoint that a command is about: that of a row, or one that a message or a code lens passes.
 * @throws ZodError if the argument is neither
 */
export async function placeOfState(argument: unknown): Promise<CheckpointPlace> {
  if (!(argument instanceof CheckpointElement)) {
    const { readCheckpoint } = await import('./read-argument.ts');
    return readCheckpoint(argument);
  }
  // Always there: only the state of a thread without checkpoints lacks an ID, and it is in no history.
  const { parent, checkpointId = '' } = argument;
  return { deployment: parent.opened.key, threadId: parent.thread.thread_id, checkpointId };
}
