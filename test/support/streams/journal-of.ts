import { readRunEvent } from '../../../src/client/run-events.ts';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { TaskEvents } from '../../../src/extension/panels/run/task-events.ts';
import type { RunRecord } from './recordings.ts';

/** The assumed time between two events of a recording, because recordings have no times. */
const PAUSE_MS = 20;

/** The journal of a recorded run, as the run panel's follower writes it. */
export function* journalOf(run: RunRecord): Generator<JournalEntry> {
  const { input, resume } = run;
  const run_id = `run of ${run.scenario}`;
  const tasks = new TaskEvents();
  yield { type: 'run-started', run_id, thread_id: 'thread', input, resume };
  for (const [at, recorded] of run.events.entries()) {
    const { kind, event, data } = readRunEvent({ id: undefined, ...recorded });
    if (kind === 'metadata' || kind === 'end') continue;
    const task = tasks.read(run_id, { event, data }, at * PAUSE_MS);
    if (task !== undefined) yield task;
    if (!event.startsWith('tasks')) yield { type: 'stream', run_id, events: [{ event, data }] };
  }
  const outcome = run.isCancelled ? 'cancelled' : run.status === 'error' ? 'error' : 'success';
  const duration_ms = run.events.length * PAUSE_MS;
  yield { type: 'run-ended', run_id, outcome, duration_ms };
}
