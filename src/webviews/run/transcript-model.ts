import type { PausedAt } from '../../contract/debugging.ts';
import type { GivenFeedback } from '../../extension/panels/feedback.ts';
import type { Interrupt, QueuedRun, RunOutcome } from '../../extension/panels/run/journal-entry.ts';
import type { Attachment } from '../shared/attachment.ts';
import type { ExecutedTask } from './executed-tasks.ts';
import type { ToolCall, ToolResult } from './messages.ts';
import { noWork, type WorkingState } from './working-state.ts';

/** The state of a conversation between two frames. Its values are replaced, never changed, so that they can be memoized. */
export interface ConversationState {
  readonly rows: readonly Row[];
  readonly nextRow: number;
  /**
   * The IDs of messages that the current run has streamed. The first chunk with any other ID begins a
   * message.
   */
  readonly streamed: ReadonlySet<string>;
  /** The IDs of tool calls, by the namespace segment of their tasks. */
  readonly calls: ReadonlyMap<string, string>;
}

/** The run of a tool call, with the conversation of the graph that it runs, such as a subagent. */
export interface CallRun extends ConversationState {
  readonly phase: 'running' | 'done' | 'failed' | 'waiting' | 'stopped';
  /**
   * When the run began, when its last event arrived, and how long it took: milliseconds of the host's clock.
   */
  readonly startedAt: number | undefined;
  readonly seenAt: number | undefined;
  readonly ms: number | undefined;
  readonly tokens: number;
}

/** Why a thread has stopped with nodes still to run. */
export type StopReason = 'breakpoint' | 'failed' | 'cancelled' | 'checkpoint';

/** The progress of a node of the graph in the current run. */
export interface NodeProgress {
  /** The IDs of the node's running tasks. */
  readonly running: readonly string[];
  /** How often the node has finished. */
  readonly done: number;
  readonly state: 'running' | 'done' | 'failed' | 'waiting' | 'paused' | 'idle';
}

/** How a run ended; an `interrupted` run asks for input, a `paused` one only stopped before a node. */
export type EndOutcome = RunOutcome | 'paused';

/** A row of the panel, made only from the journal. */
export type Row =
  | {
      readonly kind: 'human';
      readonly id: string;
      readonly messageId: string | undefined;
      readonly text: string;
      readonly files: readonly Attachment[];
    }
  | {
      readonly kind: 'ai';
      readonly id: string;
      readonly messageId: string | undefined;
      /** The node that produced the answer, with its path in a subgraph: `child › model`. */
      readonly node: string | undefined;
      /** The task of the run that streams the answer. */
      readonly task: string | undefined;
      readonly text: string;
      readonly reasoning: string;
      readonly files: readonly Attachment[];
      readonly toolCalls: readonly ToolCall[];
      readonly results: Readonly<Record<string, ToolResult>>;
      /** The observed runs of the answer's tool calls. */
      readonly runs: Readonly<Record<string, CallRun>>;
      /** Whether the answer began while another one was streaming. */
      readonly isBeside: boolean;
      readonly streaming: boolean;
    }
  | {
      readonly kind: 'note';
      readonly id: string;
      readonly messageId: string | undefined;
      readonly role: string;
      readonly text: string;
      readonly files: readonly Attachment[];
    }
  | {
      readonly kind: 'input';
      readonly id: string;
      readonly label: 'input' | 'answer';
      readonly value: unknown;
    }
  | { readonly kind: 'step'; readonly id: string; readonly node: string; readonly update: unknown }
  | { readonly kind: 'custom'; readonly id: string; readonly value: unknown }
  | { readonly kind: 'state'; readonly id: string; readonly values: unknown }
  | {
      readonly kind: 'interrupt';
      readonly id: string;
      readonly interrupts: readonly Interrupt[];
      readonly answered: boolean;
      /** Whether the thread continued without an answer. */
      readonly isPassed: boolean;
    }
  /** An event of a mode that the panel itself does not need. */
  | { readonly kind: 'event'; readonly id: string; readonly mode: string; readonly value: unknown }
  | {
      readonly kind: 'error';
      readonly id: string;
      readonly runId: string | undefined;
      readonly name: string;
      readonly message: string;
    }
  /** The thread has stopped before these nodes, and can continue. */
  | {
      readonly kind: 'stopped';
      readonly id: string;
      readonly reason: StopReason;
      readonly next: readonly string[];
      /** Whether the thread is still stopped there. */
      readonly isOpen: boolean;
    }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly runId: string;
      readonly outcome: EndOutcome;
      /** Whether the run had ended before the panel opened, and other runs followed. */
      readonly isEarlier: boolean;
      readonly durationMs: number | undefined;
      /** The part of the duration for which a debugger paused the process. */
      readonly pausedMs?: number;
      /** The tokens of the run; 0 when it used none, or the number is unknown. */
      readonly tokens: number;
      /** The cost, in dollars, of the run's model calls with a known price. */
      readonly dollars?: number;
      readonly feedbackKeys: readonly string[];
      readonly feedback: readonly GivenFeedback[];
      /** The output, as the initial value of a correction. */
      readonly output: unknown;
    };

/** A row of one kind. */
export type RowOf<K extends Row['kind']> = Extract<Row, { kind: K }>;

export interface Transcript extends ConversationState {
  /** The queued runs, the next one first. */
  readonly queue: readonly QueuedRun[];
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  readonly status: 'idle' | 'running' | 'interrupted' | 'paused' | 'error';
  readonly connection: 'lost' | 'back';
  /** Where a debugger has paused the process. */
  readonly paused: PausedAt | undefined;
  /** The feedback that the current run asks for, until its last row exists. */
  readonly feedbackKeys: readonly string[];
  readonly hasMessages: boolean;
  /** The current state of a run without messages; it becomes a row when the run ends. */
  readonly values: unknown;
  /** The progress of the nodes in the current run, by name. */
  readonly nodeProgress: Readonly<Record<string, NodeProgress>>;
  /** The tasks that have run since the thread was shown, in the order in which they began. */
  readonly tasks: readonly ExecutedTask[];
  /** Whether a run with input has started, but none of its tasks yet. */
  readonly startsNewRun: boolean;
  /** The checkpoint that is shown, when it is not the newest. */
  readonly checkpointId: string | undefined;
  /** How often the panel has read everything again. */
  readonly resets: number;
  /** The to-dos and files of a deep agent. */
  readonly work: WorkingState;
}

/** The nodes before which a breakpoint has stopped the thread. */
export function nodesPausedBefore({ rows }: Pick<Transcript, 'rows'>): readonly string[] {
  const stopped = rows.findLast((row) => row.kind === 'stopped');
  return stopped?.kind === 'stopped' && stopped.isOpen ? stopped.next : [];
}

export const emptyTranscript: Transcript = {
  rows: [],
  queue: [],
  threadId: undefined,
  runId: undefined,
  status: 'idle',
  connection: 'back',
  paused: undefined,
  feedbackKeys: [],
  streamed: new Set(),
  calls: new Map(),
  hasMessages: false,
  values: undefined,
  nodeProgress: {},
  tasks: [],
  startsNewRun: false,
  checkpointId: undefined,
  resets: 0,
  work: noWork,
  nextRow: 0,
};
