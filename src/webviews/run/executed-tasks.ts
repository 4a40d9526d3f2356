import type { EntryOf } from '../../extension/panels/run/journal-entry.ts';
import type { PastStep } from '../../extension/panels/run/messages.ts';

type TaskEntry = EntryOf<'task'>;

/** A task: one execution of a node in a superstep. */
export interface ExecutedTask {
  readonly id: string;
  /** Name of the node; in a subgraph with its path, such as `child:model`. */
  readonly node: string;
  /** The subgraph's namespace; empty for the graph itself. */
  readonly ns: string;
  /** The number of the superstep within its namespace. */
  readonly step: number;
  /** The cause of the superstep: new input, the superstep before it, or something else. */
  readonly origin: PastStep['origin'];
  /** Whether the task's graph ended after the superstep. */
  readonly isLast: boolean;
  /**
   * The nodes that the task's node waited for together; empty unless the graph declares that it joins them.
   */
  readonly joins: readonly string[];
  readonly phase: TaskEntry['phase'];
  readonly startedAt: number | undefined;
  readonly ms: number | undefined;
  readonly tokens: number;
}

/** How many tasks are kept; older ones are dropped. */
const MAX_TASKS = 5_000;

/**
 * Records in `tasks` that a task has started or ended.
 * @param startsNewRun whether the task is among the first tasks of a run with new input
 */
export function noteTask(tasks: ExecutedTask[], entry: TaskEntry, startsNewRun: boolean): void {
  const { task_id: id, node, phase, ns = '', joins = [], at_ms, tokens = 0 } = entry;
  const index = tasks.findLastIndex((task) => task.id === id);
  const known = tasks[index];
  if (known === undefined) {
    const before = tasks.findLast((task) => task.ns === ns);
    tasks.push({
      id,
      node,
      ns,
      ...(before === undefined
        ? { step: 0, origin: startsNewRun || ns !== '' ? 'start' : 'step' }
        : stepAfter(before, tasks, startsNewRun && ns === '')),
      isLast: false,
      joins,
      phase,
      startedAt: at_ms,
      ms: undefined,
      tokens,
    });
    if (tasks.length > MAX_TASKS) tasks.splice(0, tasks.length - MAX_TASKS);
    return;
  }
  // A task that waited for an answer, or failed, starts again.
  if (phase === 'running') tasks[index] = { ...known, phase, startedAt: at_ms };
  else {
    const ms = known.startedAt === undefined || at_ms === undefined ? undefined : at_ms - known.startedAt;
    tasks[index] = { ...known, phase, ms, tokens: known.tokens + tokens };
    if (phase === 'done') noteEnd(tasks, namespaceOf(known));
  }
}

/** Records in `tasks` that the graph of a namespace has reached its end. */
export function noteEnd(tasks: ExecutedTask[], ns: string): void {
  const last = tasks.findLast((task) => task.ns === ns);
  for (const [index, task] of tasks.entries()) {
    if (task.ns === ns && task.step === last?.step) tasks[index] = { ...task, isLast: true };
  }
}

/**
 * Records in `tasks` that a run has failed: its running tasks have failed. Older LangGraph versions do not
 * report which task failed; if the last superstep had a single task, that task has failed.
 */
export function noteFailure(tasks: ExecutedTask[]): void {
  const last = tasks.findLast(({ ns }) => ns === '');
  const step = tasks.filter(({ ns, step: at }) => ns === '' && at === last?.step);
  const isReported = step.some(({ phase }) => phase === 'failed');
  for (const [index, task] of tasks.entries()) {
    const isOnly = !isReported && step.length === 1 && task === last;
    if (task.phase === 'running' || isOnly) tasks[index] = { ...task, phase: 'failed' };
  }
}

/**
 * Combines the past tasks of a thread with those that the panel has observed, in the order of their supersteps. An
 * observed superstep that is not among the past ones gets the next number.
 */
export function withPast(past: readonly PastStep[], seen: readonly ExecutedTask[]): ExecutedTask[] {
  const seenIds = new Set(seen.map(({ id }) => id));
  const pastStepOf = new Map<string, number>();
  const earlier = past.flatMap(({ origin, isLast, tasks }, step) =>
    tasks.flatMap(({ task_id: id, node, phase }): ExecutedTask[] => {
      pastStepOf.set(id, step);
      if (seenIds.has(id)) return [];
      return [
        {
          id,
          node,
          ns: '',
          step,
          origin,
          isLast,
          joins: [],
          phase,
          startedAt: undefined,
          ms: undefined,
          tokens: 0,
        },
      ];
    }),
  );
  /** The numbers of observed supersteps after the past ones, by their observed numbers. */
  const stepOf = new Map<number, number>();
  let last = past.length - 1;
  const later = seen.map((task) => {
    if (task.ns !== '') return task;
    const step = pastStepOf.get(task.id) ?? stepOf.get(task.step) ?? last + 1;
    stepOf.set(task.step, step);
    last = Math.max(last, step);
    // If the panel joined in the middle of a step, only the thread's history knows what led to it.
    return { ...task, step, origin: past[step]?.origin ?? task.origin };
  });
  return [...earlier, ...later].sort((a, b) => (a.ns === '' && b.ns === '' ? a.step - b.step : 0));
}

/** The namespace of the subgraph that a task runs. */
export function namespaceOf({ ns, node, id }: Pick<ExecutedTask, 'ns' | 'node' | 'id'>): string {
  const own = segmentOf(node, id);
  return ns === '' ? own : `${ns}|${own}`;
}

/** The segment that a task adds to the namespace of the subgraph that it runs. */
export function segmentOf(node: string, taskId: string): string {
  return `${nameOf(node)}:${taskId}`;
}

/** The name of a node without the path of its subgraph: `model` for `child:model`. */
export function nameOf(node: string): string {
  return node.split(':').at(-1) ?? node;
}

/**
 * The superstep of a new task: a new one if a task of the last superstep has ended, because all tasks of a
 * superstep start before any of them ends.
 */
function stepAfter(
  before: ExecutedTask,
  tasks: readonly ExecutedTask[],
  startsNewRun: boolean,
): Pick<ExecutedTask, 'step' | 'origin'> {
  if (startsNewRun) return { step: before.step + 1, origin: 'start' };
  const isOver = tasks.some(
    ({ ns, step, phase }) => ns === before.ns && step === before.step && phase !== 'running',
  );
  return isOver ? { step: before.step + 1, origin: 'step' } : { step: before.step, origin: before.origin };
}
