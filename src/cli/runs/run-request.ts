import type { StreamMode } from '../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../contract/fields.ts';
import type { NextCommands } from '../render/next-commands.ts';

/** A run to start from the command line. */
export interface RunRequest {
  /** A graph or an assistant. */
  readonly assistant: string;
  /** Null continues where the thread stopped. */
  readonly input?: unknown;
  /** The answer to the pending interrupt of a thread. */
  readonly resume?: unknown;
  readonly threadId?: string;
  /** An earlier state of the thread to start from. */
  readonly checkpointId?: string;
  readonly context?: JsonObject;
  readonly configurable?: JsonObject;
  /** Nodes to stop before and after, or all. */
  readonly interruptBefore?: NodeSelection;
  readonly interruptAfter?: NodeSelection;
  readonly streamModes: readonly StreamMode[];
  /** Whether to print one line of JSON per event. */
  readonly json: boolean;
  /**
   * Whether the run is a turn of a conversation. The IDs, and commands to run next, are then not printed,
   * except for the commands after a failed run.
   */
  readonly isTurn?: boolean;
  /** The maximum cost of the run's model calls in dollars. */
  readonly maxCost?: number;
  /** Whether the answers of models and tools are recorded. */
  readonly record?: boolean;
  /** The recorded run of the same thread that models and tools answer from. */
  readonly replay?: { readonly run_id: string };
  /** Called with the run when it has ended. */
  readonly onEnd?: (run: { readonly threadId: string; readonly runId: string }) => Promise<void>;
  readonly next: NextCommands;
}

export type NodeSelection = '*' | string[];

/** The input for an agent that keeps its conversation in `messages`. */
export function conversationInput(text: string): JsonObject {
  return { messages: [{ role: 'user', content: text }] };
}
