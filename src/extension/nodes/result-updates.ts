import type { z } from 'zod';
import type { NodeResult } from '../../contract/agent-server/nodes.ts';
import type { ThreadTask } from '../../contract/agent-server/threads.ts';

/** One task's part of an update. */
export interface StateUpdate {
  readonly as_node: string;
  readonly values?: unknown;
  readonly command?: { readonly update?: unknown; readonly goto?: unknown };
}

/**
 * The updates that write a node's result to its thread. They replace what the node's task wrote, and repeat
 * what the other tasks of the step wrote.
 * @param tasks of the step
 */
export function resultUpdates(
  { result, is_command }: NodeResult,
  node: string,
  taskId: string | undefined,
  tasks: readonly z.output<typeof ThreadTask>[],
): StateUpdate[] {
  const { update, goto } = result;
  // Pairs of a key and a value, if a key was written twice: only a command can contain them.
  const isPairs = Array.isArray(update);
  const own: StateUpdate =
    is_command || isPairs
      ? {
          as_node: node,
          command: {
            ...(update !== undefined && { update }),
            ...(is_command && goto !== undefined && { goto }),
          },
        }
      : { as_node: node, values: update ?? {} };
  // Without the task's ID, the node's only task is meant.
  const named = tasks.filter(({ name }) => name === node);
  const replaced = tasks.find(({ id }) => id === taskId) ?? (named.length === 1 ? named[0] : undefined);
  const others = tasks.filter((task) => task !== replaced && task.result != null);
  return [own, ...others.map(({ name, result: values }) => ({ as_node: name, values }))];
}
