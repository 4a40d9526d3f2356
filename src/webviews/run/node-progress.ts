import type { EntryOf } from '../../extension/panels/run/journal-entry.ts';
import type { NodeProgress } from './transcript-model.ts';

type ProgressByNode = Readonly<Record<string, NodeProgress>>;

const notRun: NodeProgress = { running: [], done: 0, state: 'idle' };

/** The progress of a node, which may have the name of a method of objects, such as `toString`. */
function progressIn(nodeProgress: ProgressByNode, node: string): NodeProgress {
  return Object.hasOwn(nodeProgress, node) ? (nodeProgress[node] ?? notRun) : notRun;
}

/** The progress of the nodes after a task has begun or ended. */
export function withTask(nodeProgress: ProgressByNode, task: EntryOf<'task'>): ProgressByNode {
  const { node, task_id, phase } = task;
  const before = progressIn(nodeProgress, node);
  const others = before.running.filter((id) => id !== task_id);
  const running = phase === 'running' ? [...others, task_id] : others;
  // A node with several tasks is running while one of them is.
  const state = running.length > 0 ? 'running' : phase;
  return { ...nodeProgress, [node]: { running, done: before.done + (phase === 'done' ? 1 : 0), state } };
}

/** The progress of the nodes when a run has ended: tasks that were running have failed, are waiting, or were stopped. */
export function endProgress(
  nodeProgress: ProgressByNode,
  state: 'failed' | 'waiting' | 'idle',
): ProgressByNode {
  return Object.fromEntries(
    Object.entries(nodeProgress).map(([node, progress]) => [
      node,
      progress.running.length === 0 ? progress : { ...progress, running: [], state },
    ]),
  );
}

/** The progress of the nodes when a run has stopped with nodes still to run, which wait for input or at a breakpoint. */
export function withStopped(
  nodeProgress: ProgressByNode,
  next: readonly string[],
  state: 'waiting' | 'paused',
): ProgressByNode {
  const stopped = next.map((node): [string, NodeProgress] => [
    node,
    { ...progressIn(nodeProgress, node), state },
  ]);
  return { ...nodeProgress, ...Object.fromEntries(stopped) };
}
