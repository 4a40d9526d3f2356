import type { ArchivedRecord } from '../contract/agent-server/archive.ts';

/** Channels in which LangGraph records the status of a task, not the output of its node. */
const LOOP_CHANNELS: ReadonlySet<string> = new Set([
  '__interrupt__',
  '__resume__',
  '__error__',
  '__scheduled__',
]);

type Write = Extract<ArchivedRecord, { kind: 'write' }>;

/** Collects the tasks of each superstep of the given runs. Records can be added in any order. */
export class SuperstepOrder {
  readonly #runs: ReadonlySet<string>;
  /** Checkpoints that one of the runs started from, or made. */
  readonly #checkpoints = new Set<string>();
  /** The nodes of the tasks, by graph and by the checkpoint that their superstep began with. */
  readonly #tasks = new Map<string, Map<string, Set<string>>>();

  constructor(runIds: readonly string[]) {
    this.#runs = new Set(runIds);
  }

  /** Adds a checkpoint, or the task of a write, which belongs to the superstep after its checkpoint. */
  add(record: ArchivedRecord): void {
    if (record.kind === 'checkpoint' && record.run_id !== null && this.#runs.has(record.run_id)) {
      this.#checkpoints.add(keyOf(record));
      const parent = record.parent_checkpoint_id;
      // The tasks of a forked state run in the fork.
      const isFork = record.metadata.source === 'fork';
      if (parent !== null && !isFork) this.#checkpoints.add(keyOf({ ...record, checkpoint_id: parent }));
    }
    if (record.kind !== 'write' || isLoopWrite(record)) return;
    const namespace = withoutTasks(record.checkpoint_ns);
    const supersteps = this.#tasks.get(namespace) ?? new Map<string, Set<string>>();
    this.#tasks.set(namespace, supersteps);
    const key = keyOf(record);
    const tasks = supersteps.get(key) ?? new Set();
    supersteps.set(key, tasks.add(nodeOf(record)));
  }

  /** The tasks of each superstep, in order, by graph (empty for the root). */
  steps(): Record<string, string[][]> {
    const graphs = [...this.#tasks].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      graphs.map(([namespace, supersteps]) => [
        namespace,
        [...supersteps]
          .filter(([key]) => this.#checkpoints.has(key))
          .sort(([a], [b]) => (idOf(a) < idOf(b) ? -1 : 1))
          .map(([, tasks]) => [...tasks].sort()),
      ]),
    );
  }
}

/** Whether a write records the status of a task, rather than the output of its node. */
export function isLoopWrite({ channel }: Pick<Write, 'channel'>): boolean {
  return LOOP_CHANNELS.has(channel);
}

/** The node of the task that made a write; for a `Send`, its position: `Send 1`. */
export function nodeOf({ task_path }: Pick<Write, 'task_path'>): string {
  return nameOf(withoutTasks(task_path));
}

/** Replaces task paths of LangGraph, which older files contain, with names of nodes. */
export function withNames(steps: Readonly<Record<string, string[][]>>): Record<string, string[][]> {
  const namesOf = (tasks: readonly string[]) => [...new Set(tasks.map(nameOf))].sort();
  return Object.fromEntries(
    Object.entries(steps).map(([namespace, supersteps]) => [namespace, supersteps.map(namesOf)]),
  );
}

function keyOf({ checkpoint_ns, checkpoint_id }: { checkpoint_ns: string; checkpoint_id: string }): string {
  return `${checkpoint_ns}\n${checkpoint_id}`;
}

/** The checkpoint's ID, which LangGraph assigns in the order of time. */
function idOf(key: string): string {
  return key.slice(key.indexOf('\n') + 1);
}

/** The name of a task: its node, or the position of a `Send`, because its path has no node. */
function nameOf(path: string): string {
  return path
    .replace(/^~__pregel_pull, /, '')
    .replace(/^~__pregel_push, (\d+).*$/, (_, place: string) => `Send ${Number(place) + 1}`);
}

/** Removes the IDs of tasks, which differ in every run. */
function withoutTasks(path: string): string {
  return path.replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'task').replace(/:task/g, '');
}
