import type { Interrupt, RunOutcome } from '../../extension/panels/run/messages.ts';
import type { ToolCall } from './messages.ts';

/** What the panel shows, made from the journal alone. Rows are replaced, never changed, so that they can be memoised. */

export interface ToolResult {
  readonly text: string;
  readonly failed: boolean;
}

export interface FeedbackGiven {
  readonly score?: number | undefined;
  readonly comment?: string | undefined;
}

export type Row =
  | {
      readonly kind: 'human';
      readonly id: string;
      readonly messageId: string | undefined;
      readonly text: string;
    }
  | {
      readonly kind: 'ai';
      readonly id: string;
      readonly messageId: string | undefined;
      readonly node: string | undefined;
      readonly text: string;
      readonly reasoning: string;
      readonly toolCalls: readonly ToolCall[];
      readonly results: Readonly<Record<string, ToolResult>>;
      readonly streaming: boolean;
    }
  | {
      readonly kind: 'note';
      readonly id: string;
      readonly messageId: string | undefined;
      readonly role: string;
      readonly text: string;
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
    }
  | { readonly kind: 'error'; readonly id: string; readonly name: string; readonly message: string }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly runId: string;
      readonly outcome: RunOutcome;
      readonly durationMs: number | undefined;
      readonly feedbackKeys: readonly string[];
      readonly feedback: Readonly<Record<string, FeedbackGiven>>;
    };

export interface Transcript {
  readonly rows: readonly Row[];
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  readonly status: 'idle' | 'running' | 'interrupted' | 'error';
  readonly connection: 'lost' | 'back';
  /** The feedback that the current run asks for, until its last row is there. */
  readonly feedbackKeys: readonly string[];
  /** Messages that have been streamed in the current run: its first chunk begins a message anew. */
  readonly streamed: ReadonlySet<string>;
  readonly hasMessages: boolean;
  /** The state so far of a run without messages; it becomes a row when the run ends. */
  readonly values: unknown;
  readonly nextRow: number;
}

export const emptyTranscript: Transcript = {
  rows: [],
  threadId: undefined,
  runId: undefined,
  status: 'idle',
  connection: 'back',
  feedbackKeys: [],
  streamed: new Set(),
  hasMessages: false,
  values: undefined,
  nextRow: 0,
};
