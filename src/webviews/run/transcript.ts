import * as l10n from '@vscode/l10n';
import type { EntryOf, JournalEntry } from '../../extension/panels/run/journal-entry.ts';
import { isDictionary } from '../../terms/fields.ts';
import { withCost, withFeedback, withoutFeedback } from './end-rows.ts';
import { noteTask } from './executed-tasks.ts';
import { messagesOf } from './messages.ts';
import { withTask } from './node-progress.ts';
import { TranscriptDraft } from './transcript-draft.ts';
import { endRun, endTurn } from './transcript-ends.ts';
import type { Transcript } from './transcript-model.ts';
import { applyEvent } from './transcript-stream.ts';
import { workOf } from './working-state.ts';

/** Plays further entries of the journal. @returns the transcript after them */
export function play(transcript: Transcript, entries: readonly JournalEntry[]): Transcript {
  const draft = new TranscriptDraft(transcript);
  for (const entry of entries) apply(draft, entry);
  return draft.finish();
}

function apply(draft: TranscriptDraft, entry: JournalEntry): void {
  switch (entry.type) {
    case 'reset':
      draft.reset(entry.thread_id);
      break;
    case 'history':
      applyHistory(draft, entry);
      break;
    case 'speakers':
      draft.rows.change((row) => {
        if (row.kind !== 'ai' || row.node !== undefined || row.messageId === undefined) return row;
        const node = entry.nodes[row.messageId];
        return node === undefined ? row : { ...row, node };
      });
      break;
    case 'run-started':
      startRun(draft, entry);
      break;
    case 'queue':
      draft.change({ queue: entry.runs });
      break;
    case 'run-continued':
      draft.change({ runId: entry.run_id });
      break;
    case 'breakpoint':
      addNote(
        draft,
        entry.kind === 'log'
          ? l10n.t('Logpoint at {0}', entry.node)
          : l10n.t('Breakpoint at {0}', entry.node),
        entry.text,
      );
      break;
    case 'cost-warning':
      addNote(draft, l10n.t('Cost'), entry.text);
      break;
    case 'stream':
      for (const event of entry.events) applyEvent(draft, event, entry.run_id);
      break;
    case 'dropped':
      addNote(
        draft,
        l10n.t('Earlier events'),
        l10n.t('The first {0} events of this run are no longer shown.', entry.events),
      );
      break;
    case 'task':
      noteTask(draft.tasks, entry, draft.state.startsNewRun);
      draft.graph.noteTask(entry);
      draft.change({
        nodeProgress: withTask(draft.state.nodeProgress, entry),
        startsNewRun: draft.state.startsNewRun && entry.ns !== undefined,
      });
      break;
    case 'feedback-asked':
      // An earlier run may have had other keys.
      if (entry.run_id === draft.state.runId) draft.change({ feedbackKeys: entry.keys });
      draft.rows.changeEnd(entry.run_id, (row) => ({ ...row, feedbackKeys: entry.keys }));
      break;
    case 'feedback-given':
      draft.rows.changeEnd(entry.run_id, (row) => withFeedback(row, entry.feedback));
      break;
    case 'feedback-deleted':
      draft.rows.changeEnd(entry.run_id, (row) => withoutFeedback(row, entry.feedback_id));
      break;
    case 'run-traced':
      draft.rows.changeEnd(entry.run_id, (row) => withCost(row, entry));
      break;
    case 'turn-ended':
      endTurn(draft, entry);
      break;
    case 'run-ended':
      endRun(draft, entry);
      break;
    case 'paused':
      draft.change({ paused: entry.at });
      break;
    case 'connection':
      draft.change({ connection: entry.state });
      break;
  }
}

/** Adds a row that no message has sent, with a heading in the place of its sender. */
function addNote(draft: TranscriptDraft, heading: string, text: string): void {
  draft.rows.push({ kind: 'note', messageId: undefined, role: heading, text, files: [] });
}

function applyHistory(
  draft: TranscriptDraft,
  { values, interrupts, next = [], checkpoint_id }: EntryOf<'history'>,
): void {
  const messages = messagesOf(values);
  for (const message of messages) draft.putMessage(message, undefined);
  if (messages.length === 0 && isDictionary(values) && Object.keys(values).length > 0) {
    draft.rows.push({ kind: 'state', values });
  }
  if (interrupts.length > 0) draft.interrupt(interrupts);
  draft.change({
    status: interrupts.length > 0 ? 'interrupted' : 'idle',
    checkpointId: checkpoint_id,
    work: workOf(values),
  });
  // The newest state, which has no checkpoint ID here, is followed by the end of its run, which says the
  // same.
  if (checkpoint_id !== undefined && interrupts.length === 0) draft.stop('checkpoint', next);
}

function startRun(draft: TranscriptDraft, entry: EntryOf<'run-started'>): void {
  const hasInput = entry.input !== undefined && entry.input !== null;
  draft.graph.messages.forgetStreamed();
  // A run without input continues the turn of the previous run.
  draft.change({
    threadId: entry.thread_id,
    runId: entry.run_id,
    status: 'running',
    feedbackKeys: [],
    queue: draft.state.queue.filter(({ run_id }) => run_id !== entry.run_id),
    nodeProgress: hasInput ? {} : draft.state.nodeProgress,
    startsNewRun: hasInput,
    checkpointId: undefined,
  });
  const isPassed = entry.resume === undefined && hasInput;
  draft.rows.change((row) => {
    if (row.kind === 'interrupt' && !row.answered) return { ...row, answered: true, isPassed };
    return row.kind === 'stopped' && row.isOpen ? { ...row, isOpen: false } : row;
  });
  if (entry.resume !== undefined) draft.rows.push({ kind: 'input', label: 'answer', value: entry.resume });
  if (!hasInput) return;
  const messages = messagesOf(entry.input);
  if (messages.length > 0) for (const message of messages) draft.putMessage(message, undefined);
  else draft.rows.push({ kind: 'input', label: 'input', value: entry.input });
}
