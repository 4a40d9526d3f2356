import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { RunProgress } from '../../client/run-progress.ts';
import type { RunStream } from '../../client/run-stream.ts';
import type { RunEvent } from '../../contract/agent-server/run-events.ts';
import type { NextCommands } from '../render/next-commands.ts';
import { RunPrinter } from '../render/run-events.ts';
import type { Context } from '../terminal/context.ts';
import { type RunEnd, type RunRef, readEarlierRunEnd, readRunEnd } from './run-end.ts';
import type { RunRequest } from './run-request.ts';
import { noteNext, showEnd, showErrorPlace } from './show-end.ts';
import { Silence } from './silence.ts';

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
