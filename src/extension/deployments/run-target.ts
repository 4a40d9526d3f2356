import type * as vscode from 'vscode';

/** The reasons to open a run panel. */
export interface RunTarget {
  /** The key of the deployment. */
  readonly deployment: string;
  /** An assistant's id, or a graph's, which means its default assistant. */
  readonly assistantId: string;
  readonly name: string;
  readonly threadId?: string | undefined;
  /** The initial content of the input, ready to be sent; opens a new panel. */
  readonly draft?: string | undefined;
  /** The initial input of a graph, as JSON in place of text. */
  readonly input?: unknown;
  /** Where a new panel is shown; in the active group of editors without it. */
  readonly viewColumn?: vscode.ViewColumn;
}

/** Whether a command was called by the button of a message, and what it opens. */
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
