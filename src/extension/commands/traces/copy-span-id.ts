import * as vscode from 'vscode';
import type { Command } from '../command.ts';

/** Copies the ID of the span in the trace panel that its context menu was opened on. */
export const copySpanId: Command = async (_parts, argument) => {
  const { readSpanId } = await import('../arguments/read-argument.ts');
  const spanId = readSpanId(argument);
  if (spanId !== undefined) await vscode.env.clipboard.writeText(spanId);
};
