import * as l10n from '@vscode/l10n';
import type { Interrupt, JournalEntry, StreamEvent } from '../../extension/panels/run/journal-entry.ts';
import { isDictionary } from '../../terms/fields.ts';
import { shownOutcome } from '../../terms/run-outcome.ts';
import type { Writer } from './answers.ts';
import { Conversation, type Place } from './conversation.ts';
import { withCost, withFeedback, withoutFeedback } from './end-rows.ts';
import { type ExecutedTask, noteEnd, noteFailure, noteTask } from './executed-tasks.ts';
import { messagesOf, readMessage, type WireMessage } from './messages.ts';
import { readInterrupts } from './read-interrupts.ts';
import { isDone, isFailed, lightsOf, type RunEnd, statusOf, stopReasonOf } from './run-end.ts';
import { withTask } from './task-states.ts';
import { emptyTranscript, type StopReason, type Transcript } from './transcript-model.ts';
import type { TranscriptRows } from './transcript-rows.ts';
import { withFiles, withUpdate, workOf } from './working-state.ts';

/** The transcript after further entries of the journal. */
export function play(transcript: Transcript, entries: readonly JournalEntry[]): Transcript {
  const draft = new Draft(transcript);
  for (const entry of entries) draft.apply(entry);
  return draft.finish();
}

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

class Draft {
  #state: Transcript;
  readonly #graph: Conversation;
  readonly #rows: TranscriptRows;
  readonly #tasks: ExecutedTask[];

  constructor(transcript: Transcript) {
    this.#state = transcript;
    this.#graph = new Conversation(transcript);
    this.#rows = this.#graph.rows;
    this.#tasks = [...transcript.tasks];
  }

  finish(): Transcript {
    return { ...this.#state, ...this.#graph.finish(), tasks: this.#tasks };
  }

  apply(entry: JournalEntry): void {
    switch (entry.type) {
      case 'reset':
        this.#graph.clear();
        this.#tasks.length = 0;
        this.#state = {
          ...emptyTranscript,
          threadId: entry.thread_id,
          paused: this.#state.paused,
          resets: this.#state.resets + 1,
        };
        break;
      case 'history':
        this.#applyHistory(entry);
        break;
      case 'speakers':
        this.#rows.change((row) => {
          if (row.kind !== 'ai' || row.node !== undefined || row.messageId === undefined) return row;
          const node = entry.nodes[row.messageId];
          return node === undefined ? row : { ...row, node };
        });
        break;
      case 'run-started':
        this.#startRun(entry);
        break;
      case 'queue':
        this.#state = { ...this.#state, queue: entry.runs };
        break;
      case 'run-continued':
        this.#state = { ...this.#state, runId: entry.run_id };
        break;
      case 'breakpoint':
        this.#rows.push({
          kind: 'note',
          messageId: undefined,
          role:
            entry.kind === 'log'
              ? l10n.t('Logpoint at {0}', entry.node)
              : l10n.t('Breakpoint at {0}', entry.node),
          text: entry.text,
          files: [],
        });
        break;
      case 'cost-warning':
        this.#rows.push({
          kind: 'note',
          messageId: undefined,
          role: l10n.t('Cost'),
          text: entry.text,
          files: [],
        });
        break;
      case 'stream':
        for (const event of entry.events) this.#applyEvent(event, entry.run_id);
        break;
      case 'dropped':
        this.#rows.push({
          kind: 'note',
          messageId: undefined,
          role: l10n.t('Earlier events'),
          text: l10n.t('The first {0} events of this run are no longer shown.', entry.events),
          files: [],
        });
        break;
      case 'task':
        noteTask(this.#tasks, entry, this.#state.startsNewRun);
        this.#graph.noteTask(entry);
        this.#state = {
          ...this.#state,
          lights: withTask(this.#state.lights, entry),
          startsNewRun: this.#state.startsNewRun && entry.ns !== undefined,
        };
        break;
      case 'feedback-asked':
        // An earlier run may have had other keys.
        if (entry.run_id === this.#state.runId) this.#state = { ...this.#state, feedbackKeys: entry.keys };
        this.#rows.changeEnd(entry.run_id, (row) => ({ ...row, feedbackKeys: entry.keys }));
        break;
      case 'feedback-given':
        this.#rows.changeEnd(entry.run_id, (row) => withFeedback(row, entry.feedback));
        break;
      case 'feedback-deleted':
        this.#rows.changeEnd(entry.run_id, (row) => withoutFeedback(row, entry.feedback_id));
        break;
      case 'run-traced':
        this.#rows.changeEnd(entry.run_id, (row) => withCost(row, entry));
        break;
      case 'turn-ended':
        this.#endTurn(entry);
        break;
      case 'run-ended':
        this.#endRun(entry);
        break;
      case 'paused':
        this.#state = { ...this.#state, paused: entry.at };
        break;
      case 'connection':
        this.#state = { ...this.#state, connection: entry.state };
        break;
    }
  }

  #applyHistory({ values, interrupts, next = [], checkpoint_id }: EntryOf<'history'>): void {
    const messages = messagesOf(values);
    for (const message of messages) this.#putMessage(message, undefined);
    if (messages.length === 0 && isDictionary(values) && Object.keys(values).length > 0) {
      this.#rows.push({ kind: 'state', values });
    }
    if (interrupts.length > 0) this.#interrupt(interrupts);
    this.#state = {
      ...this.#state,
      status: interrupts.length > 0 ? 'interrupted' : 'idle',
      checkpointId: checkpoint_id,
      work: workOf(values),
    };
    // Only for an earlier state, because the newest is followed by the end of its run, which contains the same.
    if (checkpoint_id !== undefined && interrupts.length === 0) this.#stop('checkpoint', next);
  }

  #startRun(entry: EntryOf<'run-started'>): void {
    this.#graph.messages.forgetStreamed();
    this.#state = {
      ...this.#state,
      threadId: entry.thread_id,
      runId: entry.run_id,
      status: 'running',
      feedbackKeys: [],
      queue: this.#state.queue.filter(({ run_id }) => run_id !== entry.run_id),
      // A stop or an answer is followed by the same turn.
      lights: entry.input === undefined || entry.input === null ? this.#state.lights : {},
      startsNewRun: entry.input !== undefined && entry.input !== null,
      checkpointId: undefined,
    };
    const isPassed = entry.resume === undefined && entry.input !== undefined && entry.input !== null;
    this.#rows.change((row) => {
      if (row.kind === 'interrupt' && !row.answered) return { ...row, answered: true, isPassed };
      return row.kind === 'stopped' && row.isOpen ? { ...row, isOpen: false } : row;
    });
    if (entry.resume !== undefined) this.#rows.push({ kind: 'input', label: 'answer', value: entry.resume });
    if (entry.input === undefined || entry.input === null) return;
    const messages = messagesOf(entry.input);
    if (messages.length > 0) for (const message of messages) this.#putMessage(message, undefined);
    else this.#rows.push({ kind: 'input', label: 'input', value: entry.input });
  }

  #applyEvent({ event, data }: StreamEvent, runId: string): void {
    const [mode, ...namespace] = event.split('|');
    const place = this.#graph.at(namespace);
    if (namespace.length > 0 && this.#applyInner(mode, place, data)) return;
    switch (mode) {
      case 'messages':
        if (Array.isArray(data)) this.#applyChunk(namespace, data);
        break;
      case 'updates':
        this.#applyUpdates(data);
        break;
      case 'values':
        this.#applyValues(data);
        break;
      case 'custom':
        place.conversation.rows.push({ kind: 'custom', value: data });
        break;
      case 'error': {
        const error = isDictionary(data) ? data : {};
        const name = typeof error.error === 'string' ? error.error : 'Error';
        const message = typeof error.message === 'string' ? error.message : JSON.stringify(data);
        this.#rows.push({ kind: 'error', runId, name, message });
        break;
      }
      case undefined:
        break;
      default:
        this.#rows.push({ kind: 'event', mode, value: data });
    }
  }

  /** Steps and states of inner graphs; returns whether the event is fully handled. */
  #applyInner(mode: string | undefined, { conversation, rest }: Place, data: unknown): boolean {
    // A subgraph's steps show with its name; its state and its questions come with those of the outer graph.
    if (mode === 'values') return true;
    if (mode !== 'updates') return false;
    if (conversation === this.#graph || rest.length > 0) this.#applySubgraph(conversation, rest, data);
    else this.#applySubagent(conversation, data);
    return true;
  }

  #applyChunk(namespace: readonly string[], [value, metadata]: readonly unknown[]): void {
    const message = readMessage(value);
    if (message === undefined) return;
    const way = wayTo(metadata);
    // A tool may call a model itself; the tool's result is shown with its call, in the graph that called it.
    const ns = message.role === 'ai' && way.length > 0 ? way : namespace;
    const { conversation, rest } = this.#graph.at(ns);
    const writer = writerOf(metadata, way.slice(ns.length - rest.length));
    if (conversation === this.#graph) this.#state = { ...this.#state, hasMessages: true };
    if (message.role === 'ai') conversation.messages.putPiece(message, writer);
    else conversation.messages.put(message, writer.node);
  }

  #applyUpdates(data: unknown): void {
    if (!isDictionary(data)) return;
    for (const [node, update] of Object.entries(data)) {
      if (node === '__interrupt__') {
        this.#interrupt(readInterrupts(update));
        continue;
      }
      for (const part of partsOf(update)) {
        for (const message of messagesOf(part)) this.#putMessage(message, node);
        this.#state = { ...this.#state, work: withUpdate(this.#state.work, part) };
      }
      this.#rows.push({ kind: 'step', node, update });
    }
  }

  #applySubgraph(conversation: Conversation, namespace: readonly string[], data: unknown): void {
    if (!isDictionary(data)) return;
    const path = namespace.map((segment) => segment.split(':')[0]);
    for (const [node, update] of Object.entries(data)) {
      if (node === '__interrupt__') continue;
      // The streamed messages are complete now; they may never get into the state of the graph itself.
      for (const message of messagesOf(update)) {
        if (conversation.rows.find('ai', message.id) !== undefined) conversation.messages.put(message, node);
      }
      conversation.rows.push({ kind: 'step', node: [...path, node].join(' › '), update });
    }
  }

  /** The update of a subagent's node: its messages get into no other state. */
  #applySubagent(conversation: Conversation, data: unknown): void {
    if (!isDictionary(data)) return;
    for (const [node, update] of Object.entries(data)) {
      if (node === '__interrupt__') continue;
      for (const part of partsOf(update)) {
        for (const message of messagesOf(part)) conversation.messages.put(message, node);
        this.#state = { ...this.#state, work: withFiles(this.#state.work, part) };
      }
      conversation.rows.push({ kind: 'step', node, update });
    }
  }

  #applyValues(data: unknown): void {
    const messages = messagesOf(data);
    for (const message of messages) this.#putMessage(message, undefined);
    this.#state = { ...this.#state, work: workOf(data) };
    if (isDictionary(data) && '__interrupt__' in data) this.#interrupt(readInterrupts(data.__interrupt__));
    if (!isDictionary(data)) return;
    // A state without messages is the answer, even if models have streamed some.
    const { __interrupt__: _, ...values } = data;
    this.#state = { ...this.#state, values: messages.length > 0 ? undefined : values };
  }

  #interrupt(interrupts: readonly Interrupt[]): void {
    if (interrupts.length === 0) return;
    this.#state = { ...this.#state, status: 'interrupted' };
    const index = this.#rows.all.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
    const open = this.#rows.all[index];
    if (open?.kind !== 'interrupt') {
      this.#rows.push({ kind: 'interrupt', interrupts, answered: false, isPassed: false });
      return;
    }
    // `updates` and `values` both name the same interrupts.
    const known = new Set(open.interrupts.map(({ id }) => id));
    const added = interrupts.filter(({ id }) => !known.has(id));
    if (added.length > 0) {
      this.#rows.replace(index, { ...open, interrupts: [...open.interrupts, ...added] });
    }
  }

  #endRun(entry: EntryOf<'run-ended'>): void {
    const { run_id: runId, outcome, duration_ms: durationMs, paused_ms: pausedMs = 0, next = [] } = entry;
    this.#graph.end(outcome === 'error' || outcome === 'timeout' ? 'failed' : 'stopped');
    const { values } = this.#state;
    const output = values ?? this.#lastAnswer();
    if (values !== undefined) this.#rows.push({ kind: 'state', values });
    const asked = this.#rows.all.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
    const end: RunEnd = { outcome, waits: asked >= 0, next };
    this.#rows.push({
      kind: 'end',
      runId,
      outcome: shownOutcome(end),
      isEarlier: false,
      durationMs,
      ...(pausedMs > 0 && { pausedMs }),
      tokens: 0,
      feedbackKeys: this.#state.feedbackKeys,
      feedback: [],
      output,
    });
    // Pending interrupts come last.
    if (end.waits) this.#rows.moveToEnd(asked);
    else this.#stop(stopReasonOf(end), next);
    if (isFailed(end)) noteFailure(this.#tasks);
    if (isDone(end)) noteEnd(this.#tasks, '');
    this.#state = {
      ...this.#state,
      runId,
      status: statusOf(end),
      values: undefined,
      connection: 'back',
      lights: lightsOf(this.#state.lights, end),
    };
  }

  /** Puts the end of an earlier run below its last message, if that is still in the state. */
  #endTurn({
    run_id: runId,
    message_id: messageId,
    outcome,
    duration_ms: durationMs,
    next,
  }: EntryOf<'turn-ended'>) {
    const index = this.#rows.find('ai', messageId) ?? this.#rows.find('human', messageId);
    if (index === undefined) return;
    const row = this.#rows.all[index];
    this.#rows.insertAfter(index, {
      kind: 'end',
      runId,
      outcome: shownOutcome({ outcome, next }),
      isEarlier: true,
      durationMs,
      tokens: 0,
      feedbackKeys: [],
      feedback: [],
      output: row?.kind === 'ai' && row.text !== '' ? { output: row.text } : undefined,
    });
  }

  #stop(reason: StopReason, next: readonly string[]): void {
    // Before the first step, only input can continue the thread.
    const nodes = next.filter((node) => node !== '__start__');
    if (nodes.length > 0) this.#rows.push({ kind: 'stopped', reason, next: nodes, isOpen: true });
  }

  /** The last message of the run that is ending. */
  #lastAnswer(): unknown {
    const answer = this.#rows.all.findLast((row) => row.kind === 'ai' || row.kind === 'human');
    return answer?.kind === 'ai' && answer.text !== '' ? { output: answer.text } : undefined;
  }

  #putMessage(message: WireMessage, node: string | undefined): void {
    this.#state = { ...this.#state, hasMessages: true };
    this.#graph.messages.put(message, node);
  }
}

/** A node may return one update, or several as a list. */
function partsOf(update: unknown): readonly unknown[] {
  return Array.isArray(update) ? update : [update];
}

/** The way to the task that produced a piece of a message: each graph that contains it, and itself. */
function wayTo(metadata: unknown): readonly string[] {
  const ns = isDictionary(metadata) ? metadata.langgraph_checkpoint_ns : undefined;
  return typeof ns === 'string' && ns !== '' ? ns.split('|') : [];
}

/** The node that produced a piece of a message. @param way to it, from the graph that has its conversation */
function writerOf(metadata: unknown, way: readonly string[]): Writer {
  if (!isDictionary(metadata)) return {};
  const { langgraph_node: node, langgraph_checkpoint_ns: task } = metadata;
  // Numbers distinguish the calls of one task.
  const path = way.map((segment) => segment.split(':')[0]).filter((name) => !/^\d*$/.test(name ?? ''));
  return {
    node: path.length > 0 ? path.join(' › ') : typeof node === 'string' ? node : undefined,
    task: typeof task === 'string' ? task : undefined,
  };
}
