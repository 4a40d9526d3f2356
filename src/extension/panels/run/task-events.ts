import type { JournalEntry } from './messages.ts';

type TaskEntry = Extract<JournalEntry, { type: 'task' }>;

/** The node that a `tasks` event of the graph itself is about; `undefined` for those of subgraphs and anything else. */
export function taskEntryOf(runId: string, event: string, data: unknown): TaskEntry | undefined {
  if (event !== 'tasks' || typeof data !== 'object' || data === null) return undefined;
  const { id, name } = { id: undefined, name: undefined, ...data };
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { type: 'task', run_id: runId, task_id: id, node: name, phase: phaseOf(data) };
}

function phaseOf(data: object): TaskEntry['phase'] {
  if ('error' in data && data.error !== null && data.error !== undefined) return 'failed';
  if (!('result' in data)) return 'running';
  const isWaiting = 'interrupts' in data && Array.isArray(data.interrupts) && data.interrupts.length > 0;
  return isWaiting ? 'waiting' : 'done';
}
