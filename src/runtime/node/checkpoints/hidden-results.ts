import type { CheckpointTuple } from '../../protocol/protocol.ts';
import type { StateSnapshot } from '../langgraph-types.ts';

/**
 * The checkpoint without the interrupts and errors of its tasks, because LangGraph before 1.7 hides the
 * result of a finished task that had one earlier.
 */
export function withoutErrors(tuple: CheckpointTuple): CheckpointTuple {
  return {
    ...tuple,
    pending_writes: tuple.pending_writes.filter(({ channel }) => !isInterruptOrError(channel)),
  };
}

/**
 * Whether a snapshot lacks the result of a task that has an interrupt or an error, as in LangGraph before
 * 1.7.
 */
export function mayHideResults({ tasks }: StateSnapshot, { pending_writes }: CheckpointTuple): boolean {
  return tasks.some(
    ({ id, result }) =>
      result === undefined &&
      pending_writes.some(({ task_id, channel }) => task_id === id && isInterruptOrError(channel)),
  );
}

function isInterruptOrError(channel: string): boolean {
  return channel === '__interrupt__' || channel === '__error__';
}
