import type * as vscode from 'vscode';

/** A run panel to open: its deployment and assistant, and its initial content. */
export interface RunTarget {
  /** The key of the deployment. */
  readonly deployment: string;
  /** The ID of an assistant, or of a graph, for its default assistant. */
  readonly assistantId: string;
  readonly name: string;
  readonly threadId?: string | undefined;
  /** The initial text of the input, for a new panel. */
  readonly draft?: string | undefined;
  /** The initial input as JSON, instead of a text. */
  readonly input?: unknown;
  /** Where a new panel is shown; by default in the active editor group. */
  readonly viewColumn?: vscode.ViewColumn;
}

/** Whether the argument of a command is a run target, as buttons of messages pass it. */
export function isRunTarget(argument: unknown): argument is RunTarget {
  return (
    typeof argument === 'object' &&
    argument !== null &&
    'deployment' in argument &&
    'assistantId' in argument &&
    'name' in argument &&
    typeof argument.deployment === 'string' &&
    typeof argument.assistantId === 'string' &&
    typeof argument.name === 'string'
  );
}
