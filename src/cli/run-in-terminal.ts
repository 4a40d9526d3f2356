import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { RunStream } from '../client/run-stream.ts';
import type { RunEvent } from '../contract/agent-server/run-events.ts';
import type { StreamMode } from '../contract/agent-server/runs.ts';
import type { JsonObject } from '../contract/fields.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { RunPrinter } from './render/run-events.ts';
import { RunOutcome } from './run-outcome.ts';

export interface RunRequest {
  /** A graph or an assistant. */
  readonly assistant: string;
  readonly input?: unknown;
  /** The answer to the pending interrupt of a thread. */
  readonly resume?: unknown;
  readonly threadId?: string;
  readonly context?: JsonObject;
  readonly configurable?: JsonObject;
  readonly streamModes: readonly StreamMode[];
  /** Print one line of JSON per event. */
  readonly json: boolean;
  /** A turn of a conversation, where the closing lines would repeat. */
  /** Whether the local platform has its trace. */
  readonly isLocal: boolean;
  readonly isTurn?: boolean;
}

/** The input for an agent that keeps its conversation in `messages`. */
export function conversationInput(text: string): JsonObject {
  return { messages: [{ role: 'user', content: text }] };
}

const CANCEL_TIMEOUT_MS = 5_000;

/**
 * Runs an agent on a thread and shows its stream. Ctrl-C cancels the run.
 * @returns the exit code: ok, failed, waiting for an answer, or interrupted.
 * @throws RequestError
 */
export async function runInTerminal(context: Context, client: Client, request: RunRequest): Promise<number> {
  const { terminal, interrupted: signal } = context;
  const printer = new RunPrinter(terminal);
  const outcome = new RunOutcome();
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
      outcome,
      show: (event) => printer.show(event),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    await cancel(client, threadId, stream?.runId ?? outcome.runId);
    terminal.note('The run was canceled.');
    return EXIT.interrupted;
  }
  if (!request.json) {
    printer.showInterrupts(outcome.interrupts.values());
    const hasEnded = outcome.error === undefined && outcome.interrupts.size === 0;
    if (hasEnded && !request.streamModes.includes('values')) {
      printer.showResult(await finalValues(client, threadId, signal));
    }
    terminal.freshLine();
  }
  if (!request.json && !request.isTurn) {
    const { dim } = terminal.colors;
    const run = stream.runId ?? outcome.runId;
    terminal.note(dim(`thread ${threadId}${run === undefined ? '' : `, run ${run}`}`));
    if (outcome.interrupts.size > 0) {
      terminal.note(
        `Answer it: agent-harbor run ${request.assistant} --thread ${threadId} --resume '${exampleAnswer(outcome)}'`,
      );
    } else if (run !== undefined && outcome.error === undefined && request.isLocal) {
      terminal.note(dim(`Give feedback: agent-harbor feedback ${run} --score 1 --comment "…"`));
    }
  }
  return exitCodeOf(outcome);
}

/**
 * Shows the stream of an existing run, and at its end the result. Values, the whole state after each step, are
 * not repeated. Ctrl-C does not cancel the run.
 * @returns the exit code: ok, failed, or waiting for an answer.
 * @throws RequestError; the signal's reason when aborted.
 */
export async function followRun(
  context: Context,
  stream: RunStream,
  { json, finalValues }: { readonly json: boolean; readonly finalValues: () => Promise<unknown> },
): Promise<number> {
  const printer = new RunPrinter(context.terminal);
  const outcome = new RunOutcome();
  await showEvents(context, stream, {
    json,
    outcome,
    show: (event) => {
      if (event.kind !== 'values') printer.show(event);
    },
  });
  if (!json) {
    printer.showInterrupts(outcome.interrupts.values());
    if (exitCodeOf(outcome) === EXIT.ok) printer.showResult(await finalValues());
  }
  return exitCodeOf(outcome);
}

async function showEvents(
  { terminal }: Context,
  stream: RunStream,
  { json, outcome, show }: { json: boolean; outcome: RunOutcome; show(event: RunEvent): void },
): Promise<void> {
  for await (const event of stream) {
    outcome.observe(event);
    if (json) terminal.line(JSON.stringify({ id: event.id, event: event.event, data: event.data }));
    else show(event);
  }
}

const Requests = z.array(z.unknown()).min(1);
/** LangChain uses snake case in Python and camel case in JavaScript. */
const Approvals = z.union([
  z.object({ action_requests: Requests }).transform(({ action_requests }) => action_requests),
  z.object({ actionRequests: Requests }).transform(({ actionRequests }) => actionRequests),
]);

/** The answer that LangChain's own agents expect when they ask for approval of tool calls; other formats are unknown. */
function exampleAnswer({ interrupts }: RunOutcome): string {
  const asked = Approvals.safeParse([...interrupts.values()].at(0));
  if (!asked.success) return '<json>';
  return JSON.stringify({ decisions: asked.data.map(() => ({ type: 'approve' })) });
}

/** The current values of the thread; undefined when the server does not return them. */
async function finalValues(client: Client, thread_id: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await client.threads.getState({ params: { thread_id } }, { signal })).values;
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function exitCodeOf({ error, interrupts }: RunOutcome): number {
  if (error !== undefined) return EXIT.failed;
  return interrupts.size > 0 ? EXIT.waiting : EXIT.ok;
}

function bodyOf(request: RunRequest) {
  const { assistant, input, resume, threadId, context, configurable, streamModes } = request;
  return {
    assistant_id: assistant,
    ...(resume === undefined ? { input } : { command: { resume } }),
    ...(context === undefined ? {} : { context }),
    ...(configurable === undefined ? {} : { config: { configurable } }),
    stream_mode: [...streamModes],
    stream_subgraphs: true,
    stream_resumable: true,
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
    // The run may have ended meanwhile.
    .catch(() => {});
}
