import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { CheckpointTuple, StateUpdate } from '../../protocol/protocol.ts';
import { isRecord, type StateSnapshot } from '../langgraph-types.ts';
import { deserialize } from './checkpoint-format.ts';

/** The writes of one task. For an update that names no node, LangGraph determines the node. */
export interface Write {
  readonly node: string | undefined;
  readonly value: unknown;
}

const START = '__start__';

/**
 * The writes that led to a checkpoint, by node: `metadata.writes` of a state
 * (docs/interface/agent-server.md#threads), which newer versions of LangGraph do not store. The writes of
 * several tasks of a node are a list. Nodes without writes are left out.
 *
 * @param parent the snapshot of the parent, which has the tasks of the superstep between the two checkpoints
 */
export async function writesOf(
  { metadata = {} }: StateSnapshot,
  tuple: CheckpointTuple,
  parent: StateSnapshot | undefined,
  serde: BaseCheckpointSaver['serde'],
): Promise<Record<string, unknown>> {
  // The writes were stored together with an update, or by an older LangGraph.
  if (isRecord(metadata.writes)) return metadata.writes;
  if (metadata.source === 'input') {
    const input = tuple.channel_values[START];
    return input === undefined ? {} : { [START]: await deserialize(serde, input) };
  }
  if (metadata.source !== 'loop' || parent === undefined) return {};
  // The writes of `__start__` are the input, which belongs to the parent checkpoint.
  const tasks = parent.tasks.filter(({ name }) => name !== START);
  return byNode(tasks.map(({ name, result }) => ({ node: name, value: result })));
}

/** The writes of each superstep that makes a checkpoint with the source `update`, in order. */
export function updateWrites(supersteps: readonly StateUpdate[][]): Write[][] {
  return supersteps.flatMap((updates) => {
    const [first] = updates;
    if (first?.as_node === '__input__') return [];
    if (first?.as_node === '__copy__') {
      // A copy makes a fork, followed by an update if it contains `[values, node]` pairs.
      const copied: unknown[] = Array.isArray(first.values) ? first.values : [];
      const writes = copied.flatMap((item) =>
        Array.isArray(item) && typeof item[1] === 'string' ? [{ node: item[1], value: item[0] }] : [],
      );
      return writes.length === 0 ? [] : [writes];
    }
    return [
      updates.map(({ values, as_node, command }) => ({
        node: as_node,
        value: command === undefined || command === null ? values : command.update,
      })),
    ];
  });
}

/**
 * Groups writes by node.
 * @param versionsSeen the new checkpoint's `versions_seen`, which show the node of an update that names none
 */
export function byNode(
  writes: readonly Write[],
  versionsSeen: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Record<string, unknown> {
  const grouped = new Map<string, unknown[]>();
  for (const { node = lastNode(versionsSeen), value } of writes) {
    if (node === undefined || isNothing(value)) continue;
    const values = grouped.get(node);
    if (values === undefined) grouped.set(node, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...grouped].map(([node, values]) => [node, values.length === 1 ? values[0] : values]),
  );
}

/** Whether a value means that a node wrote nothing: no value in JavaScript, an empty object in Python. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isRecord(value) && !Array.isArray(value) && Object.keys(value).length === 0;
}

/**
 * The node that ran last, as LangGraph determines it for updates that name no node.
 */
function lastNode(versionsSeen: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  let last: string | undefined;
  let newest = -1;
  for (const [node, seen] of Object.entries(versionsSeen)) {
    if (node === '__interrupt__') continue;
    const version = Math.max(0, ...Object.values(seen).map(Number));
    if (version > newest) [last, newest] = [node, version];
  }
  return last;
}
