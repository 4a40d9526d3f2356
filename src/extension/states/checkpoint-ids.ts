import type { ThreadState } from '../../contract/agent-server/threads.ts';

/** The ID of a state's checkpoint; servers write it to either field. */
export function checkpointIdOf({ checkpoint, checkpoint_id }: ThreadState): string | undefined {
  return checkpoint.checkpoint_id ?? checkpoint_id ?? undefined;
}

/** The ID of the run that wrote a state, if the server reports it. */
export function runIdOf({ metadata }: ThreadState): string | undefined {
  const id = metadata?.run_id;
  return typeof id === 'string' ? id : undefined;
}

/** The ID of a state's parent checkpoint. */
export function parentIdOf({ parent_checkpoint, parent_checkpoint_id }: ThreadState): string | undefined {
  return parent_checkpoint?.checkpoint_id ?? parent_checkpoint_id ?? undefined;
}
