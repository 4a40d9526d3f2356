import type { EntryOf } from '../../extension/panels/run/journal-entry.ts';
import { segmentOf } from './executed-tasks.ts';
import { MessageRows } from './message-rows.ts';
import type { CallRun, ConversationState, Row } from './transcript-model.ts';
import { TranscriptRows } from './transcript-rows.ts';

/** The conversation that a namespace belongs to, and the part of the namespace below it. */
export interface Place {
  readonly conversation: Conversation;
  readonly rest: readonly string[];
}

/** The conversation of a graph that a tool call runs. */
interface Child {
  readonly conversation: Conversation;
  run: Omit<CallRun, keyof ConversationState>;
}

/**
 * The conversation of a graph while the journal is played. Graphs that tool calls run, such as subagents, have their own
 * conversations, which are found by the namespaces of their events.
 */
export class Conversation {
  readonly rows: TranscriptRows;
  readonly messages: MessageRows;
  /** Ids of tool calls, by the namespace segment of their tasks: `tools:<task id>`. */
  readonly #calls: Map<string, string>;
  /** Conversations of subagents that have received events, by the ID of the tool call. */
  readonly #children = new Map<string, Child>();

  constructor(state: ConversationState) {
    this.rows = new TranscriptRows(state);
    this.messages = new MessageRows(this.rows, state.streamed);
    this.#calls = new Map(state.calls);
  }

  /** @returns the finished conversation; do not use this object afterwards. */
  finish(): ConversationState {
    this.#closeChildren();
    return {
      rows: this.rows.finish(),
      nextRow: this.rows.nextRow,
      streamed: this.messages.streamed,
      calls: this.#calls,
    };
  }

  clear(): void {
    this.rows.clear();
    this.messages.forgetStreamed();
    this.#calls.clear();
    this.#children.clear();
  }

  /** Finds the innermost conversation that a namespace belongs to. */
  at(namespace: readonly string[]): Place {
    const child = this.#childAt(namespace[0]);
    return child === undefined
      ? { conversation: this, rest: namespace }
      : child.conversation.at(namespace.slice(1));
  }

  /** Records that a task has begun or ended, and which tool call it carries out. */
  noteTask(entry: EntryOf<'task'>): void {
    this.#noteTask(entry, entry.ns?.split('|') ?? []);
  }

  /** Ends everything that is still running, here and in the conversations of subagents. */
  end(phase: CallRun['phase']): void {
    this.#closeChildren();
    this.rows.change((row) => endedRow(row, phase));
  }

  #noteTask(entry: EntryOf<'task'>, namespace: readonly string[]): void {
    const child = this.#childAt(namespace[0]);
    if (child !== undefined) {
      const { tokens = 0, at_ms: seenAt = child.run.seenAt } = entry;
      child.run = { ...child.run, seenAt, tokens: child.run.tokens + tokens };
      child.conversation.#noteTask(entry, namespace.slice(1));
      return;
    }
    if (namespace.length > 0) return;
    const { node, task_id, phase, call, at_ms } = entry;
    const segment = segmentOf(node, task_id);
    if (call !== undefined) this.#calls.set(segment, call);
    const own = this.#childAt(segment);
    if (own === undefined) return;
    if (phase === 'running') {
      // A task that was interrupted begins again.
      own.conversation.messages.forgetStreamed();
      own.run = { ...own.run, phase, startedAt: at_ms, seenAt: at_ms, ms: undefined };
    } else {
      const { startedAt } = own.run;
      const ms = startedAt === undefined || at_ms === undefined ? undefined : at_ms - startedAt;
      own.run = { ...own.run, phase, ms };
    }
  }

  #childAt(segment: string | undefined): Child | undefined {
    const call = segment === undefined ? undefined : this.#calls.get(segment);
    if (call === undefined) return undefined;
    const known = this.#children.get(call);
    if (known !== undefined) return known;
    const row = this.rows.all[this.rows.find('call', call) ?? -1];
    if (row?.kind !== 'ai') return undefined;
    const run = row.runs[call] ?? newRun;
    const child = { conversation: new Conversation(run), run };
    this.#children.set(call, child);
    return child;
  }

  #closeChildren(): void {
    for (const [call, { conversation, run }] of this.#children) {
      const index = this.rows.find('call', call) ?? -1;
      const row = this.rows.all[index];
      if (row?.kind !== 'ai') continue;
      this.rows.replace(index, {
        ...row,
        runs: { ...row.runs, [call]: { ...run, ...conversation.finish() } },
      });
    }
    this.#children.clear();
  }
}

const newRun: CallRun = {
  phase: 'running',
  startedAt: undefined,
  seenAt: undefined,
  ms: undefined,
  tokens: 0,
  rows: [],
  nextRow: 0,
  streamed: new Set(),
  calls: new Map(),
};

function endedRow(row: Row, phase: CallRun['phase']): Row {
  if (row.kind !== 'ai') return row;
  const runs = Object.entries(row.runs);
  const isOver = runs.every(([, run]) => run.phase !== 'running');
  if (!row.streaming && isOver) return row;
  const ended = runs.map(([call, run]) => [call, run.phase === 'running' ? endedRun(run, phase) : run]);
  return { ...row, streaming: false, ...(!isOver && { runs: Object.fromEntries(ended) }) };
}

function endedRun(run: CallRun, phase: CallRun['phase']): CallRun {
  return { ...run, phase, rows: run.rows.map((row) => endedRow(row, phase)) };
}
