import type { PausedAt } from '../../../contract/debugging.ts';
import type { Interrupt, RunOutcome } from '../../../terms/run-outcome.ts';
import type { GivenFeedback } from '../feedback.ts';

/** One event of a run's stream; `feedback` events never get here, as their links are credentials. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

export type { Interrupt, RunOutcome };

/** A run that waits for its turn. */
export interface QueuedRun {
  readonly run_id: string;
  readonly input: unknown;
}

/** An entry of the run panel's journal; the webview plays the entries in order. */
export type JournalEntry =
  /**
   * The session must be read again, because its graph or its schemas are available now. Not kept in the
   * journal.
   */
  | { readonly type: 'session-changed' }
  /** Resets the panel, to this thread or to none. */
  | { readonly type: 'reset'; readonly thread_id: string | undefined }
  /** The thread's contents when the panel opened it, or at the checkpoint that is shown. */
  | {
      readonly type: 'history';
      readonly values: unknown;
      readonly interrupts: readonly Interrupt[];
      /** Nodes that would run next. */
      readonly next?: readonly string[];
      /** Set when this is not the newest state of the thread. */
      readonly checkpoint_id?: string | undefined;
    }
  /** The nodes that produced messages, by message ID; sent a little after the contents. */
  | { readonly type: 'speakers'; readonly nodes: Readonly<Record<string, string>> }
  | {
      readonly type: 'run-started';
      readonly run_id: string;
      readonly thread_id: string;
      /** `undefined` for a run that the panel has joined and whose input is not known. */
      readonly input?: unknown;
      readonly resume?: unknown;
    }
  /** The runs that wait for their turn on the thread, the next one first. */
  | { readonly type: 'queue'; readonly runs: readonly QueuedRun[] }
  /** No breakpoint applied where the run stopped, so it continues as a new run. */
  | { readonly type: 'run-continued'; readonly run_id: string }
  /** A logpoint's message, or why a breakpoint's condition could not be evaluated. */
  | {
      readonly type: 'breakpoint';
      readonly node: string;
      readonly text: string;
      readonly kind: 'log' | 'problem';
    }
  /** The cap on the run's cost cannot be enforced. */
  | { readonly type: 'cost-warning'; readonly run_id: string; readonly text: string }
  | { readonly type: 'stream'; readonly run_id: string; readonly events: readonly StreamEvent[] }
  /** This many events of the run are no longer kept. */
  | { readonly type: 'dropped'; readonly run_id: string; readonly events: number }
  /** A task started or ended, for the diagram. */
  | {
      readonly type: 'task';
      readonly run_id: string;
      readonly task_id: string;
      /** The name of the node; for a node in a subgraph, with the path to it: `child:model`. */
      readonly node: string;
      readonly phase: 'running' | 'done' | 'failed' | 'waiting';
      /** The subgraph's namespace, which differs each time it runs; absent for the root graph. */
      readonly ns?: string;
      /** The ID of the tool call that the task carries out. */
      readonly call?: string;
      /** The nodes that all had to end before this task, if the graph joins them. */
      readonly joins?: readonly string[];
      /**
       * When the panel received the event, in milliseconds of a clock that stops while a debugger pauses the
       * process.
       */
      readonly at_ms?: number;
      /** The tokens that the task's model calls used. */
      readonly tokens?: number;
    }
  | {
      readonly type: 'run-ended';
      readonly run_id: string;
      readonly outcome: RunOutcome;
      readonly duration_ms: number | undefined;
      /** The part of the duration for which a debugger paused the process, if it was observed. */
      readonly paused_ms?: number;
      /** The nodes that would run next, if the thread's state could be read. */
      readonly next?: readonly string[] | undefined;
    }
  /** An earlier run of the thread, and the last message of its turn. */
  | {
      readonly type: 'turn-ended';
      readonly run_id: string;
      readonly message_id: string;
      readonly outcome: RunOutcome;
      readonly duration_ms: number | undefined;
      readonly next: readonly string[];
    }
  /** Time, tokens and cost of the run, from its trace, which arrives a little later. */
  | {
      readonly type: 'run-traced';
      readonly run_id: string;
      readonly duration_ms: number;
      readonly tokens: number;
      readonly dollars?: number;
    }
  | { readonly type: 'feedback-asked'; readonly run_id: string; readonly keys: readonly string[] }
  /** Adds feedback, or replaces the feedback with the same ID. */
  | { readonly type: 'feedback-given'; readonly run_id: string; readonly feedback: GivenFeedback }
  | { readonly type: 'feedback-deleted'; readonly run_id: string; readonly feedback_id: string }
  /** Where a debugger paused the process that runs the graph; `undefined` when it runs again. */
  | { readonly type: 'paused'; readonly at: PausedAt | undefined }
  /** The stream broke and is being rejoined, or is back. */
  | { readonly type: 'connection'; readonly state: 'lost' | 'back' };

/** The entries of a type. */
export type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;
