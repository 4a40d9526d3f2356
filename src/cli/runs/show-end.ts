import type { Client } from '../../client/client.ts';
import { errorPlace } from '../../client/error-frames.ts';
import { readErrorStack } from '../../client/read-error-stack.ts';
import type { NextCommands } from '../render/next-commands.ts';
import type { RunPrinter } from '../render/run-events.ts';
import type { Context } from '../terminal/context.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RunEnd } from './run-end.ts';

/** Shows what a run waits for, or that it was canceled. Errors were shown when they arrived. */
export function showEnd(printer: RunPrinter, end: RunEnd): void {
  if (end.kind === 'asks') printer.showInterrupts(end.questions.map(({ value }) => value));
  if (end.kind === 'stopped') printer.showBreakpoint(end.next);
  if (end.kind === 'cancelled') printer.showCanceled();
}

/** Shows the line of the project in which a run failed, from its trace. @returns whether a failed run has a trace */
export async function showErrorPlace(
  { interrupted: signal }: Context,
  client: Client,
  printer: RunPrinter,
  {
    end,
    runId,
    next,
  }: { readonly end: RunEnd; readonly runId: string | undefined; readonly next: NextCommands },
): Promise<boolean> {
  if (end.kind !== 'failed' || runId === undefined || !next.hasTraces) return false;
  // Some agents are not traced, or their traces cannot be read.
  const stack = await readErrorStack(client, runId, signal).catch(() => undefined);
  const place = stack === undefined ? undefined : errorPlace(stack);
  if (place !== undefined) printer.showErrorPlace(place);
  return stack !== undefined;
}

/** Suggests commands for what to do next, depending on how a run ended. */
export function noteNext(
  terminal: Terminal,
  end: RunEnd,
  {
    assistant,
    threadId,
    runId,
    hasTrace,
    next,
  }: {
    readonly assistant: string;
    readonly threadId: string;
    readonly runId: string | undefined;
    /** Whether a failed run has a trace. */
    readonly hasTrace: boolean;
    readonly next: NextCommands;
  },
): void {
  const { dim } = terminal.colors;
  switch (end.kind) {
    case 'asks':
      for (const [at, command] of next.answer(assistant, threadId, end.questions).entries()) {
        terminal.note(`${at === 0 ? 'To answer:' : '       or:'} ${command}`);
      }
      break;
    case 'stopped':
      terminal.note(`To continue: ${next.continueThread(assistant, threadId)}`);
      break;
    case 'failed':
      if (runId !== undefined && hasTrace) terminal.note(`To see the trace: ${next.trace(runId)}`);
      break;
    case 'done':
      if (runId !== undefined && next.hasTraces) terminal.note(dim(`Give feedback: ${next.feedback(runId)}`));
      break;
    case 'cancelled':
      break;
  }
}
