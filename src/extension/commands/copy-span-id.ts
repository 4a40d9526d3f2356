import * as vscode from 'vscode';
import { z } from 'zod';
import type { Command } from './command.ts';

const SpanContext = z.looseObject({ spanId: z.string() });

/** Copies the ID of the span in the trace panel that its context menu was opened on. */
export const copySpanId: Command = async (_parts, argument) => {
  await vscode.env.clipboard.writeText(SpanContext.parse(argument).spanId);
};
