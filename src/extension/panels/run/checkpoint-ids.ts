import type { ThreadState } from '../../../contract/agent-server/threads.ts';

/** The checkpoint that a state is of; servers name it in either place. */
export function checkpointIdOf({ checkpoint, checkpoint_id }: ThreadState): string | undefined {
  return checkpoint.checkpoint_id ?? checkpoint_id ?? undefined;
}

/** The checkpoint before a state's own. */
export function parentIdOf({ parent_checkpoint, parent_checkpoint_id }: ThreadState): string | undefined {
  return parent_checkpoint?.checkpoint_id ?? parent_checkpoint_id ?? undefined;
}
