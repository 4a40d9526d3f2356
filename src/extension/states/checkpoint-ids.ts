import type { ThreadState } from '../../contract/agent-server/threads.ts';

/** The checkpoint of a state; servers name it in either place. */
export function checkpointIdOf({ checkpoint, checkpoint_id }: ThreadState): string | undefined {
  return checkpoint.checkpoint_id ?? checkpoint_id ?? undefined;
}

/** The run that made a state, if the server reports it. */
export function runIdOf({ metadata }: ThreadState): string | undefined {
  const id = metadata?.run_id;
  return typeof id === 'string' ? id : undefined;
}

/** The checkpoint before a state's own. */
export function parentIdOf({ parent_checkpoint, parent_checkpoint_id }: ThreadState): string | undefined {
  return parent_checkpoint?.checkpoint_id ?? parent_checkpoint_id ?? undefined;
}
