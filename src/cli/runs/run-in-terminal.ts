import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { errorPlace } from '../../client/error-frames.ts';
import { errorStack } from '../../client/error-stack.ts';
import { RunProgress } from '../../client/run-progress.ts';
import type { RunStream } from '../../client/run-stream.ts';
import type { RunEvent } from '../../contract/agent-server/run-events.ts';
import type { StreamMode } from '../../contract/agent-server/runs.ts';
import type { JsonObject } from '../../contract/fields.ts';
import type { NextCommands } from '../render/next-commands.ts';
import { RunPrinter } from '../render/run-events.ts';
import type { Context } from '../terminal/context.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type RunEnd, type RunRef, readEarlierRunEnd, readRunEnd } from './run-end.ts';
import { Silence } from './silence.ts';

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

/** How long to wait until a canceled run has ended. */
const CANCEL_TIMEOUT_MS = 5_000;
/** How long to wait for the state of a thread, to say what a silent run is doing. */
const STATE_TIMEOUT_MS = 2_000;

/**
 * Runs an agent on a thread and shows its stream. Ctrl-C cancels the run.
 * @returns how the run ended; undefined when Ctrl-C canceled it.
 * @throws RequestError
 */
export async function runInTerminal(
  context: Context,
  client: Client,
  request: RunRequest,
): Promise<RunEnd | undefined> {
  const { terminal, interrupted: signal } = context;
  const printer = new RunPrinter(terminal);
  const progress = new RunProgress();
  // The thread is created with the run, so a refused run leaves no thread behind.
  const threadId = request.threadId ?? randomUUID();
  let stream: RunStream | undefined;
  try {
    stream = await client.runs.stream(
      { params: { thread_id: threadId }, body: bodyOf(request) },
      {
        signal,
        onRejoin: () => terminal.note('Connection lost. Reconnecting…'),
      },
    );
    await showEvents(context, stream, {
      json: request.json,
      progress,
      show: (event) => printer.show(event),
      saySilence: (seconds) => void saySilence(context, client, threadId, seconds),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    await cancel(client, threadId, stream?.runId ?? progress.runId);
    terminal.note('The run was canceled.');
    return undefined;
  }
  const runId = stream.runId ?? progress.runId;
  const end = await readRunEnd(client, { thread_id: threadId, run_id: runId }, progress, signal);
  if (runId !== undefined) await request.onEnd?.({ threadId, runId });
  if (request.json) return end;
  showEnd(printer, end);
  const hasTrace = await showErrorPlace(context, client, printer, { end, runId, next: request.next });
  if (end.kind === 'done' && !request.streamModes.includes('values')) {
    printer.showResult(end.values);
  }
  terminal.freshLine();
  if (!request.isTurn) {
    terminal.note(terminal.colors.dim(`thread ${threadId}${runId === undefined ? '' : `, run ${runId}`}`));
  }
  if (!request.isTurn || end.kind === 'failed')
    noteNext(terminal, end, { ...request, threadId, runId, hasTrace });
  return end;
}

/**
 * Shows the stream of an existing run, and its result at the end. The `values` events, each with the whole state, are
 * not shown. Ctrl-C does not cancel the run.
 * @returns how it ended, and whether a failed run has a trace to show
 * @throws RequestError; the signal's reason when aborted.
 */
export async function followRun(
  context: Context,
  client: Client,
  stream: RunStream,
  { json, run, next }: { readonly json: boolean; readonly run: RunRef; readonly next: NextCommands },
): Promise<{ end: RunEnd; hasTrace: boolean }> {
  const { interrupted: signal } = context;
  const printer = new RunPrinter(context.terminal);
  const progress = new RunProgress();
  await showEvents(context, stream, {
    json,
    progress,
    show: (event) => {
      if (event.kind !== 'values') printer.show(event);
    },
    saySilence: (seconds) => void saySilence(context, client, run.thread_id, seconds),
  });
  const end = await readEarlierRunEnd(client, run, progress, signal);
  if (json) return { end, hasTrace: false };
  showEnd(printer, end);
  const hasTrace = await showErrorPlace(context, client, printer, { end, runId: run.run_id, next });
  if (end.kind === 'done') printer.showResult(await client.runs.join({ params: run }, { signal }));
  return { end, hasTrace };
}

/** Shows what a run waits for, or that it was canceled. Errors were shown when they arrived. */
export function showEnd(printer: RunPrinter, end: RunEnd): void {
  if (end.kind === 'asks') printer.showInterrupts(end.questions.map(({ value }) => value));
  if (end.kind === 'stopped') printer.showBreakpoint(end.next);
  if (end.kind === 'cancelled') printer.showCanceled();
}

/** Shows the line of the project in which a run failed, from its trace. @returns whether a failed run has a trace */
async function showErrorPlace(
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
  const stack = await errorStack(client, runId, signal).catch(() => undefined);
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

async function showEvents(
  { terminal }: Context,
  stream: RunStream,
  {
    json,
    progress,
    show,
    saySilence,
  }: {
    readonly json: boolean;
    readonly progress: RunProgress;
    show(event: RunEvent): void;
    saySilence(seconds: number): void;
  },
): Promise<void> {
  const silence = json ? undefined : new Silence(saySilence);
  try {
    for await (const event of stream) {
      silence?.restart();
      progress.observe(event);
      if (json) terminal.json({ id: event.id, event: event.event, data: event.data });
      else show(event);
    }
  } finally {
    silence?.end();
  }
}

/** Says what a silent run is doing, from the state of its thread. */
async function saySilence(
  { terminal, interrupted: signal }: Context,
  client: Client,
  threadId: string,
  seconds: number,
): Promise<void> {
  const params = { thread_id: threadId };
  const next = await client.threads
    .getState({ params }, { signal, timeoutMs: STATE_TIMEOUT_MS, retries: 0 })
    .then((state) => state.next)
    // A runtime does not answer while a node blocks its process.
    .catch(() => []);
  const doing = next.length === 0 ? 'the run continues' : `running ${next.join(', ')}`;
  terminal.note(terminal.errorColors.dim(`No output for ${seconds} s, ${doing}.`));
}

function bodyOf(request: RunRequest) {
  const { assistant, input, resume, threadId, checkpointId, context, configurable } = request;
  const { interruptBefore, interruptAfter, streamModes } = request;
  return {
    assistant_id: assistant,
    ...(resume === undefined ? { input } : { command: { resume } }),
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    ...(context === undefined ? {} : { context }),
    ...(configurable === undefined ? {} : { config: { configurable } }),
    ...(interruptBefore === undefined ? {} : { interrupt_before: interruptBefore }),
    ...(interruptAfter === undefined ? {} : { interrupt_after: interruptAfter }),
    stream_mode: [...streamModes],
    stream_subgraphs: true,
    stream_resumable: true,
    ...(request.maxCost === undefined ? {} : { max_cost: request.maxCost }),
    ...(request.record ? { record: true } : {}),
    ...(request.replay === undefined ? {} : { replay: request.replay }),
    ...(threadId === undefined || request.isTurn ? { if_not_exists: 'create' as const } : {}),
  };
}

async function cancel(client: Client, threadId: string, runId: string | undefined): Promise<void> {
  if (runId === undefined) return;
  await client.runs
    .cancel(
      { params: { thread_id: threadId, run_id: runId }, query: { wait: true } },
      { timeoutMs: CANCEL_TIMEOUT_MS, retries: 0 },
    )
    // The run may have ended in the meantime.
    .catch(() => {});
}
