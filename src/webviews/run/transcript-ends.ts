import type { EntryOf } from '../../extension/panels/run/journal-entry.ts';
import { shownOutcome } from '../../terms/run-outcome.ts';
import { noteEnd, noteFailure } from './executed-tasks.ts';
import { isDone, isFailed, progressOf, type RunEnd, statusOf, stopReasonOf } from './run-end.ts';
import type { TranscriptDraft } from './transcript-draft.ts';
import type { Row } from './transcript-model.ts';

/** Adds the end of the current run. */
export function endRun(draft: TranscriptDraft, entry: EntryOf<'run-ended'>): void {
  const { run_id: runId, outcome, duration_ms: durationMs, paused_ms: pausedMs = 0, next = [] } = entry;
  draft.graph.end(isFailed({ outcome }) ? 'failed' : 'stopped');
  const { values } = draft.state;
  const output = values ?? lastAnswer(draft);
  if (values !== undefined) draft.rows.push({ kind: 'state', values });
  const asked = draft.rows.all.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
  const end: RunEnd = { outcome, waits: asked >= 0, next };
  draft.rows.push({
    kind: 'end',
    runId,
    outcome: shownOutcome(end),
    isEarlier: false,
    durationMs,
    ...(pausedMs > 0 && { pausedMs }),
    tokens: 0,
    feedbackKeys: draft.state.feedbackKeys,
    feedback: [],
    output,
  });
  // Pending interrupts come last.
  if (end.waits) draft.rows.moveToEnd(asked);
  else draft.stop(stopReasonOf(end), next);
  if (isFailed(end)) noteFailure(draft.tasks);
  if (isDone(end)) noteEnd(draft.tasks, '');
  draft.change({
    runId,
    status: statusOf(end),
    values: undefined,
    connection: 'back',
    nodeProgress: progressOf(draft.state.nodeProgress, end),
  });
}

/** Adds the end of an earlier run below its last message, if that message is still in the state. */
export function endTurn(
  draft: TranscriptDraft,
  { run_id: runId, message_id: messageId, outcome, duration_ms: durationMs, next }: EntryOf<'turn-ended'>,
) {
  const index = draft.rows.find('ai', messageId) ?? draft.rows.find('human', messageId);
  if (index === undefined) return;
  const row = draft.rows.all[index];
  draft.rows.insertAfter(index, {
    kind: 'end',
    runId,
    outcome: shownOutcome({ outcome, next }),
    isEarlier: true,
    durationMs,
    tokens: 0,
    feedbackKeys: [],
    feedback: [],
    output: outputOf(row),
  });
}

/** The last answer of the run that is ending, as its output; undefined if there is none. */
function lastAnswer(draft: TranscriptDraft): unknown {
  return outputOf(draft.rows.all.findLast((row) => row.kind === 'ai' || row.kind === 'human'));
}

/** The output of a run whose last message has this row; undefined if that is not an answer with text. */
function outputOf(row: Row | undefined): unknown {
  return row?.kind === 'ai' && row.text !== '' ? { output: row.text } : undefined;
}
