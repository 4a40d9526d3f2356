import type { JournalEntry } from '../../extension/panels/run/journal-entry.ts';
import type { NodeLight } from './transcript-model.ts';

type NodeLights = Readonly<Record<string, NodeLight>>;

const off: NodeLight = { running: [], done: 0, state: 'idle' };

/** The lights of the graph's diagram after a task has begun or ended. */
export function withTask(lights: NodeLights, task: Extract<JournalEntry, { type: 'task' }>): NodeLights {
  const { node, task_id, phase } = task;
  const before = Object.hasOwn(lights, node) ? (lights[node] ?? off) : off;
  const others = before.running.filter((id) => id !== task_id);
  const running = phase === 'running' ? [...others, task_id] : others;
  // A node with several tasks is running while one of them is.
  const state = running.length > 0 ? 'running' : phase;
  return { ...lights, [node]: { running, done: before.done + (phase === 'done' ? 1 : 0), state } };
}

/** The lights when a run has ended: running tasks have failed, are waiting, or were aborted. */
export function endLights(lights: NodeLights, state: 'failed' | 'waiting' | 'idle'): NodeLights {
  return Object.fromEntries(
    Object.entries(lights).map(([node, light]) => [
      node,
      light.running.length === 0 ? light : { ...light, running: [], state },
    ]),
  );
}

/** The lights when a run has stopped with nodes still to run: they wait for input, or a breakpoint paused before them. */
export function withStopped(
  lights: NodeLights,
  next: readonly string[],
  state: 'waiting' | 'paused',
): NodeLights {
  const stopped = next.map((node): [string, NodeLight] => [
    node,
    { ...(Object.hasOwn(lights, node) ? (lights[node] ?? off) : off), state },
  ]);
  return { ...lights, ...Object.fromEntries(stopped) };
}
