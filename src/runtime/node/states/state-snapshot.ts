import type { StateSnapshot, StateTask } from '../langgraph-types.ts';
import { checkpointOf, taskCheckpointOf } from '../streams/checkpoint-events.ts';

/** The writes that led to the checkpoint of a snapshot, if they are known. */
export type SnapshotWrites = ReadonlyMap<StateSnapshot, Record<string, unknown>>;

/** Converts a snapshot to the form of clients, including the older fields that repeat others. */
export function wireSnapshot(
  snapshot: StateSnapshot,
  known: SnapshotWrites = new Map(),
): Record<string, unknown> {
  const writes = known.get(snapshot);
  const checkpoint = checkpointOf(snapshot.config);
  const parent = checkpointOf(snapshot.parentConfig);
  return {
    values: snapshot.values,
    next: snapshot.next,
    tasks: snapshot.tasks.map((task) => wireTaskState(task, known)),
    metadata: snapshot.metadata && {
      ...snapshot.metadata,
      checkpoint_id: checkpoint?.checkpoint_id,
      ...(writes === undefined ? {} : { writes }),
    },
    created_at: snapshot.createdAt ?? null,
    checkpoint,
    parent_checkpoint: parent,
    checkpoint_id: checkpoint?.checkpoint_id ?? null,
    parent_checkpoint_id: parent?.checkpoint_id ?? null,
    interrupts: snapshot.tasks.flatMap((task) => task.interrupts ?? []),
  };
}

function wireTaskState(task: StateTask, known: SnapshotWrites): Record<string, unknown> {
  const { state } = task;
  const nested = nestedSnapshot(task);
  return {
    id: task.id,
    name: task.name,
    path: task.path ?? [],
    error: errorText(task.error),
    interrupts: task.interrupts ?? [],
    checkpoint: taskCheckpointOf(nested === undefined ? state : nested.config),
    state: nested === undefined ? null : wireSnapshot(nested, known),
    result: task.result ?? null,
  };
}

/** The state of the subgraph that a task runs; undefined if it was not requested. */
export function nestedSnapshot({ state }: StateTask): StateSnapshot | undefined {
  return state !== undefined && isSnapshot(state) ? state : undefined;
}

function isSnapshot(state: object): state is StateSnapshot {
  return 'values' in state && 'next' in state && 'tasks' in state;
}

/**
 * The error of a task as clients get it: the JSON text of its name and message, which the JavaScript SDK
 * parses.
 */
function errorText(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (typeof error === 'object' && 'message' in error) {
    const message = String(error.message);
    return JSON.stringify('name' in error ? { message, name: String(error.name) } : { message });
  }
  return String(error);
}
