import type { CheckpointTuple } from '../../protocol/protocol.ts';

/** The part of the thread's checkpoints that is known without a request. */
export type Preloaded =
  /** Nothing is known. */
  | { kind: 'unknown' }
  /** The thread has no checkpoint in any namespace. */
  | { kind: 'empty' }
  /** One checkpoint, which may not be the newest. */
  | { kind: 'one'; tuple: CheckpointTuple }
  /** The newest checkpoint in its namespace. */
  | { kind: 'newest'; tuple: CheckpointTuple }
  /** Exactly the checkpoints to list, in order. */
  | { kind: 'history'; tuples: readonly CheckpointTuple[] };
