import type { CheckpointTuple as SavedCheckpoint } from '@langchain/langgraph';
import type { NodeParams } from '../../protocol/protocol.ts';
import { ROOT, SENDS } from '../langgraph/channel-names.ts';
import { type Graph, isRecord, type StateSnapshot, type StateTask } from '../langgraph-types.ts';
import type { ChannelWrite } from './task-result.ts';

/** A checkpoint, as it is stored and as LangGraph shows it. */
export interface RecordedState {
  readonly saved: SavedCheckpoint;
  readonly snapshot: StateSnapshot;
}

/** A task of a node, read from its checkpoint. */
export interface RecordedTask {
  /** The input of the node; undefined when it is not known. */
  readonly input: unknown;
  readonly writes: readonly ChannelWrite[];
  /** The answers to the task's interrupts, in order. */
  readonly answers: readonly unknown[];
}

/** The first part of the path of a task that a `Send` makes. */
const PUSH = '__pregel_push';

/** Finds the requested task of a node in a checkpoint, with the input that the current code would give it. */
export function findRecordedTask(
  graph: Graph,
  { node, task_id }: NodeParams,
  { saved, snapshot }: RecordedState,
): RecordedTask {
  const named = snapshot.tasks.filter(({ name }) => name === node);
  const task = named.find(({ id }) => id === task_id) ?? (named.length === 1 ? named[0] : undefined);
  // The current code may give the task another ID, but its writes have the recorded one.
  const id = task_id ?? task?.id;
  const own = (saved.pendingWrites ?? []).filter(([taskId]) => taskId === id);
  return {
    input: sentTo(graph, node, task, saved) ?? readInput(graph, node, { saved, snapshot }),
    writes: lastWrites(own.map(([, channel, value]): ChannelWrite => [channel, value])),
    answers: own.flatMap(([, channel, value]) => (channel === '__resume__' ? [value].flat() : [])),
  };
}

/** Omits earlier interrupts and errors of a task that eventually finished. */
function lastWrites(writes: readonly ChannelWrite[]): readonly ChannelWrite[] {
  const isStatus = ([channel]: ChannelWrite) => /^__(interrupt|error|resume)__$/.test(channel);
  const finished = writes.filter((write) => !isStatus(write));
  return finished.length > 0 ? finished : writes;
}

/**
 * The argument of the `Send` that makes a task; without the task, of the first pending `Send` to the node.
 */
function sentTo(graph: Graph, node: string, task: StateTask | undefined, saved: SavedCheckpoint): unknown {
  const sends = readChannel(graph, SENDS, saved);
  if (!Array.isArray(sends)) return undefined;
  const path: unknown[] = Array.isArray(task?.path) ? task.path : [];
  const send: unknown =
    path[0] === PUSH && typeof path[1] === 'number'
      ? sends[path[1]]
      : task === undefined
        ? sends.find((each: unknown) => isRecord(each) && each.node === node)
        : undefined;
  return isRecord(send) ? send.args : undefined;
}

/** The input that a node reads from the state. */
function readInput(graph: Graph, node: string, { saved, snapshot }: RecordedState): unknown {
  const channels = graph.nodes[node]?.channels;
  const read = (channel: string) => {
    if (channel === ROOT) return snapshot.values;
    const known = isRecord(snapshot.values) ? snapshot.values[channel] : undefined;
    return known ?? readChannel(graph, channel, saved);
  };
  if (typeof channels === 'string') return read(channels);
  if (Array.isArray(channels)) return channels.map(read).find((value) => value !== undefined);
  const values = Object.entries(channels ?? {}).map(([key, channel]) => [key, read(channel)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function readChannel(graph: Graph, name: string, { checkpoint }: SavedCheckpoint): unknown {
  const stored: unknown = checkpoint.channel_values[name];
  const channel = stored === undefined ? undefined : graph.channels[name]?.fromCheckpoint(stored);
  return channel?.isAvailable() ? channel.get() : undefined;
}
