import type { Interrupt, JournalEntry, StreamEvent } from '../../extension/panels/run/messages.ts';
import { type Answer, begun, completed, grown, isUnbegun, type Writer, whole } from './answers.ts';
import { withCost, withFeedback, withoutFeedback } from './end-rows.ts';
import { type ExecutedTask, noteEnd, noteFailure, noteTask } from './executed-tasks.ts';
import { isDictionary, messagesOf, readMessage, type WireMessage } from './messages.ts';
import { readInterrupts } from './read-interrupts.ts';
import { endLights, withTask, withWaiting } from './task-states.ts';
import { emptyTranscript, type Row, type StopReason, type Transcript } from './transcript-model.ts';

/** The transcript after more of the journal. */
export function play(transcript: Transcript, entries: readonly JournalEntry[]): Transcript {
  const draft = new Draft(transcript);
  for (const entry of entries) draft.apply(entry);
  return draft.finish();
}

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;
type Kind = Row['kind'];
type RowOf<K extends Kind> = Extract<Row, { kind: K }>;
type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'id'> : never) : never;

class Draft {
  #state: Transcript;
  readonly #rows: Row[];
  readonly #streamed: Set<string>;
  readonly #tasks: ExecutedTask[];
  /** Where messages and tool calls are, by `kind id`; rows never move. */
  readonly #places = new Map<string, number>();

  constructor(transcript: Transcript) {
    this.#state = transcript;
    this.#rows = [...transcript.rows];
    this.#streamed = new Set(transcript.streamed);
    this.#tasks = [...transcript.tasks];
    for (const [index, row] of this.#rows.entries()) this.#note(row, index);
  }

  finish(): Transcript {
    return { ...this.#state, rows: this.#rows, streamed: this.#streamed, tasks: this.#tasks };
  }

  apply(entry: JournalEntry): void {
    switch (entry.type) {
      case 'reset':
        this.#rows.length = 0;
        this.#places.clear();
        this.#streamed.clear();
        this.#tasks.length = 0;
        // Row ids stay unique over resets: rows keep their expanded or collapsed state by id.
        this.#state = {
          ...emptyTranscript,
          threadId: entry.thread_id,
          paused: this.#state.paused,
          resets: this.#state.resets + 1,
          nextRow: this.#state.nextRow,
        };
        break;
      case 'history':
        this.#applyHistory(entry);
        break;
      case 'run-started':
        this.#startRun(entry);
        break;
      case 'stream':
        for (const event of entry.events) this.#applyEvent(event, entry.run_id);
        break;
      case 'task':
        noteTask(this.#tasks, entry, this.#state.startsAnew);
        this.#state = {
          ...this.#state,
          lights: withTask(this.#state.lights, entry),
          startsAnew: this.#state.startsAnew && entry.ns !== undefined,
        };
        break;
      case 'feedback-asked':
        this.#state = { ...this.#state, feedbackKeys: entry.keys };
        this.#updateEnd(entry.run_id, (row) => ({ ...row, feedbackKeys: entry.keys }));
        break;
      case 'feedback-given':
        this.#updateEnd(entry.run_id, (row) => withFeedback(row, entry.feedback));
        break;
      case 'feedback-taken-back':
        this.#updateEnd(entry.run_id, (row) => withoutFeedback(row, entry.feedback_id));
        break;
      case 'run-traced':
        this.#updateEnd(entry.run_id, (row) => withCost(row, entry));
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
      this.#push({ kind: 'state', values });
    }
    if (interrupts.length > 0) this.#interrupt(interrupts);
    this.#state = {
      ...this.#state,
      status: interrupts.length > 0 ? 'interrupted' : 'idle',
      checkpointId: checkpoint_id,
    };
    // The newest state is followed by how its run ended, which says the same.
    if (checkpoint_id !== undefined && interrupts.length === 0) this.#stop('checkpoint', next);
  }

  #startRun(entry: EntryOf<'run-started'>): void {
    this.#streamed.clear();
    this.#state = {
      ...this.#state,
      threadId: entry.thread_id,
      runId: entry.run_id,
      status: 'running',
      feedbackKeys: [],
      // A stop or an answer is followed by the same turn.
      lights: entry.input === undefined || entry.input === null ? this.#state.lights : {},
      startsAnew: entry.input !== undefined && entry.input !== null,
      checkpointId: undefined,
    };
    const isPassed = entry.resume === undefined && entry.input !== undefined && entry.input !== null;
    for (const [index, row] of this.#rows.entries()) {
      if (row.kind === 'interrupt' && !row.answered) this.#rows[index] = { ...row, answered: true, isPassed };
      if (row.kind === 'stopped' && row.isOpen) this.#rows[index] = { ...row, isOpen: false };
    }
    if (entry.resume !== undefined) this.#push({ kind: 'input', label: 'answer', value: entry.resume });
    if (entry.input === undefined || entry.input === null) return;
    const messages = messagesOf(entry.input);
    if (messages.length > 0) for (const message of messages) this.#putMessage(message, undefined);
    else this.#push({ kind: 'input', label: 'input', value: entry.input });
  }

  #applyEvent({ event, data }: StreamEvent, runId: string): void {
    const [mode, ...namespace] = event.split('|');
    // A subgraph's steps show with its name; its state and its questions come with those of the graph itself.
    if (namespace.length > 0 && mode === 'values') return;
    if (namespace.length > 0 && mode === 'updates') {
      this.#applySubgraph(namespace, data);
      return;
    }
    switch (mode) {
      case 'messages':
        if (Array.isArray(data)) this.#applyChunk(data[0], data[1]);
        break;
      case 'updates':
        this.#applyUpdates(data);
        break;
      case 'values':
        this.#applyValues(data);
        break;
      case 'custom':
        this.#push({ kind: 'custom', value: data });
        break;
      case 'error': {
        const error = isDictionary(data) ? data : {};
        const name = typeof error.error === 'string' ? error.error : 'Error';
        const message = typeof error.message === 'string' ? error.message : JSON.stringify(data);
        this.#push({ kind: 'error', runId, name, message });
        break;
      }
      case undefined:
        break;
      default:
        this.#push({ kind: 'event', mode, value: data });
    }
  }

  #applyChunk(value: unknown, metadata: unknown): void {
    const message = readMessage(value);
    if (message === undefined) return;
    const { langgraph_node: node, langgraph_checkpoint_ns: task } = isDictionary(metadata) ? metadata : {};
    const writer = {
      node: typeof node === 'string' ? node : undefined,
      task: typeof task === 'string' ? task : undefined,
    };
    if (message.role === 'ai') this.#putPiece(message, writer);
    else this.#putMessage(message, writer.node);
  }

  #applyUpdates(data: unknown): void {
    if (!isDictionary(data)) return;
    for (const [node, update] of Object.entries(data)) {
      if (node === '__interrupt__') {
        this.#interrupt(readInterrupts(update));
        continue;
      }
      // A node may return one update, or several as a list.
      for (const part of Array.isArray(update) ? update : [update]) {
        for (const message of messagesOf(part)) this.#putMessage(message, node);
      }
      this.#push({ kind: 'step', node, update });
    }
  }

  #applySubgraph(namespace: readonly string[], data: unknown): void {
    if (!isDictionary(data)) return;
    const path = namespace.map((segment) => segment.split(':')[0]);
    for (const [node, update] of Object.entries(data)) {
      if (node === '__interrupt__') continue;
      // The streamed messages are whole now; they may never get into the state of the graph itself.
      for (const message of messagesOf(update)) {
        if (this.#find('ai', message.id) !== undefined) this.#putMessage(message, node);
      }
      this.#push({ kind: 'step', node: [...path, node].join(' › '), update });
    }
  }

  #applyValues(data: unknown): void {
    for (const message of messagesOf(data)) this.#putMessage(message, undefined);
    if (isDictionary(data) && '__interrupt__' in data) this.#interrupt(readInterrupts(data.__interrupt__));
    if (this.#state.hasMessages || !isDictionary(data)) return;
    // Without messages the state is the answer.
    const { __interrupt__: _, ...values } = data;
    this.#state = { ...this.#state, values };
  }

  #interrupt(interrupts: readonly Interrupt[]): void {
    if (interrupts.length === 0) return;
    this.#state = { ...this.#state, status: 'interrupted' };
    const index = this.#rows.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
    const open = this.#rows[index];
    if (open?.kind !== 'interrupt') {
      this.#push({ kind: 'interrupt', interrupts, answered: false, isPassed: false });
      return;
    }
    // `updates` and `values` both name the same interrupts.
    const known = new Set(open.interrupts.map(({ id }) => id));
    const added = interrupts.filter(({ id }) => !known.has(id));
    if (added.length > 0) this.#rows[index] = { ...open, interrupts: [...open.interrupts, ...added] };
  }

  #endRun({ run_id: runId, outcome, duration_ms: durationMs, next = [] }: EntryOf<'run-ended'>): void {
    for (const [index, row] of this.#rows.entries()) {
      if (row.kind === 'ai' && row.streaming) this.#rows[index] = { ...row, streaming: false };
    }
    const { values } = this.#state;
    const output = values ?? this.#lastAnswer();
    if (values !== undefined) this.#push({ kind: 'state', values });
    const asked = this.#rows.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
    const waits = asked >= 0;
    this.#push({
      kind: 'end',
      runId,
      outcome: outcome === 'success' && (waits || next.length > 0) ? 'interrupted' : outcome,
      durationMs,
      tokens: 0,
      feedbackKeys: this.#state.feedbackKeys,
      feedback: [],
      output,
    });
    if (waits) this.#moveToEnd(asked);
    const failed = outcome === 'error' || outcome === 'timeout';
    if (failed) noteFailure(this.#tasks);
    if (outcome === 'success' && next.length === 0 && !waits) noteEnd(this.#tasks, '');
    const stands = !failed && outcome !== 'cancelled' && next.length > 0;
    if (!waits) this.#stop(failed ? 'failed' : outcome === 'cancelled' ? 'cancelled' : 'breakpoint', next);
    this.#state = {
      ...this.#state,
      runId,
      status: waits || stands ? 'interrupted' : failed ? 'error' : 'idle',
      values: undefined,
      connection: 'back',
      lights: stands
        ? withWaiting(endLights(this.#state.lights, 'idle'), next)
        : endLights(this.#state.lights, failed ? 'failed' : waits ? 'waiting' : 'idle'),
    };
  }

  /** Pending interrupts come last. */
  #moveToEnd(from: number): void {
    this.#rows.push(...this.#rows.splice(from, 1));
    for (const [index, row] of this.#rows.entries()) if (index >= from) this.#note(row, index);
  }

  #stop(reason: StopReason, next: readonly string[]): void {
    // Before the first step there is nothing to continue with but input.
    const nodes = next.filter((node) => node !== '__start__');
    if (nodes.length > 0) this.#push({ kind: 'stopped', reason, next: nodes, isOpen: true });
  }

  /** The last message of the run that is ending. */
  #lastAnswer(): unknown {
    const answer = this.#rows.findLast((row) => row.kind === 'ai' || row.kind === 'human');
    return answer?.kind === 'ai' && answer.text !== '' ? { output: answer.text } : undefined;
  }

  #putMessage(message: WireMessage, node: string | undefined): void {
    this.#state = { ...this.#state, hasMessages: true };
    switch (message.role) {
      case 'human':
        this.#putHuman(message);
        break;
      case 'ai':
        this.#putAi(message, { node });
        break;
      case 'tool':
        this.#putToolResult(message);
        break;
      default:
        this.#putNote(message);
    }
  }

  #putHuman(message: WireMessage): void {
    const { id: messageId, text, files } = message;
    const next = { kind: 'human' as const, messageId, text, files };
    let index = this.#find('human', message.id);
    // The panel shows what was typed before the server has given it an id.
    index ??= this.#rows.findLastIndex(
      (row) => row.kind === 'human' && row.messageId === undefined && row.text === message.text,
    );
    const row = this.#rows[index];
    if (row?.kind !== 'human') this.#push(next);
    else if (row.messageId !== message.id || row.text !== message.text)
      this.#replace(index, { ...next, id: row.id });
  }

  /** A whole message. Streamed under another id than it has in the state, it is the same all the same. */
  #putAi(message: WireMessage, writer: Writer): void {
    const index =
      this.#find('ai', message.id) ?? this.#streaming(({ text }) => text === message.text && text !== '');
    const row = index === undefined ? undefined : this.#rows[index];
    if (index === undefined || row?.kind !== 'ai') this.#push({ ...whole(message, writer), results: {} });
    else if (completed(row, message) !== row) this.#replace(index, completed(row, message));
  }

  /** A message of a model, or one that came at once: pieces under one id in a run belong together. */
  #putPiece(message: WireMessage, writer: Writer): void {
    this.#state = { ...this.#state, hasMessages: true };
    const { id, isChunk, text } = message;
    const index = this.#find('ai', id) ?? (isChunk ? this.#headOf(id, writer) : undefined);
    const row = index === undefined ? undefined : this.#rows[index];
    const isNew = id !== undefined && !this.#streamed.has(id);
    if (id !== undefined) this.#streamed.add(id);
    if (index === undefined || row?.kind !== 'ai') {
      if (isChunk) this.#push({ ...begun(message, writer), results: {} });
      else this.#putAi(message, writer);
    } else if (isNew && row.messageId === id) this.#replace(index, { ...row, ...begun(message, writer) });
    // A complete message after its chunks.
    else if (!isChunk && text.startsWith(row.text)) this.#putAi(message, writer);
    else this.#replace(index, grown(row, message));
  }

  /** The beginning of a message that continues under another id, or without one. */
  #headOf(id: string | undefined, { task }: Writer): number | undefined {
    return this.#streaming(
      (row) => row.task === task && (isUnbegun(row) || (id === undefined && row.messageId === undefined)),
    );
  }

  #streaming(isIt: (row: Answer) => boolean): number | undefined {
    const index = this.#rows.findLastIndex((row) => row.kind === 'ai' && row.streaming && isIt(row));
    return index === -1 ? undefined : index;
  }

  #putToolResult(message: WireMessage): void {
    const { toolCallId } = message;
    const index = this.#find('call', toolCallId) ?? -1;
    const row = this.#rows[index];
    if (row?.kind !== 'ai' || toolCallId === undefined) {
      this.#putNote(message);
      return;
    }
    const { text, files, failed } = message;
    const result = { text, files, failed };
    if (row.results[toolCallId]?.text === result.text) return;
    this.#replace(index, { ...row, results: { ...row.results, [toolCallId]: result } });
  }

  #putNote(message: WireMessage): void {
    const index = this.#find('note', message.id) ?? -1;
    const row = this.#rows[index];
    const role = message.name ?? message.role;
    const { id: messageId, text, files } = message;
    const note = { kind: 'note' as const, messageId, role, text, files };
    if (row?.kind !== 'note') this.#push(note);
    else if (row.text !== message.text) this.#replace(index, { ...note, id: row.id });
  }

  #updateEnd(runId: string, change: (row: RowOf<'end'>) => Row): void {
    const index = this.#rows.findLastIndex((row) => row.kind === 'end' && row.runId === runId);
    const row = this.#rows[index];
    if (row?.kind === 'end') this.#rows[index] = change(row);
  }

  #find(kind: 'human' | 'ai' | 'note' | 'call', id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#places.get(`${kind} ${id}`);
  }

  #replace(index: number, row: Row): void {
    this.#rows[index] = row;
    this.#note(row, index);
  }

  #note(row: Row, index: number): void {
    if (!('messageId' in row)) return;
    if (row.messageId !== undefined) this.#places.set(`${row.kind} ${row.messageId}`, index);
    if (row.kind !== 'ai') return;
    for (const { id } of row.toolCalls) if (id !== undefined) this.#places.set(`call ${id}`, index);
  }

  #push(row: NewRow): void {
    const added = { ...row, id: `row-${this.#state.nextRow}` };
    this.#note(added, this.#rows.length);
    this.#rows.push(added);
    this.#state = { ...this.#state, nextRow: this.#state.nextRow + 1 };
  }
}
