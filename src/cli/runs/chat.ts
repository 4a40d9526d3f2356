import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Client } from '../../client/client.ts';
import { pauseOf } from '../../terms/run-outcome.ts';
import { answerOf } from '../arguments/answer.ts';
import { RunPrinter } from '../render/run-events.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { exitCodeOf, type RunEnd } from './run-end.ts';
import { runInTerminal } from './run-in-terminal.ts';
import { conversationInput, type RunRequest } from './run-request.ts';
import { showEnd } from './show-end.ts';

/**
 * Runs a conversation on one thread. Each line of standard input is a message, or the answer to an interrupt of the
 * previous run (JSON, else text); after a breakpoint, an empty line continues. The conversation ends with the input.
 * @param request the options of all turns; its input, if any, starts the first turn
 * @returns the exit code of the last turn
 */
export async function chat(
  context: Context,
  client: Client,
  { input, ...request }: RunRequest,
): Promise<number> {
  const { terminal, stdin, interrupted: signal } = context;
  const threadId = request.threadId ?? randomUUID();
  const isTyped = stdin.isTTY === true;
  const remark = (text: string) => {
    if (isTyped && text !== '') terminal.note(terminal.errorColors.dim(text));
  };
  let end: RunEnd | undefined = { kind: 'done' };
  const turn = async (typed: Pick<RunRequest, 'input' | 'resume'>) => {
    end = await runInTerminal(context, client, { ...request, ...typed, threadId, isTurn: true });
    if (end !== undefined) remark(promptText(end));
  };
  remark('Type a message and press Enter. Ctrl-D ends the chat, Ctrl-C cancels a run.');
  if (input !== undefined) await turn({ input });
  else if (request.threadId !== undefined) {
    end = await showWaiting(context, client, threadId);
    remark(promptText(end));
  }
  for await (const line of readLines(context)) {
    const typed = turnOf(line, end);
    if (typed === undefined) continue;
    await turn(typed);
    if (end === undefined) break;
  }
  terminal.freshLine();
  terminal.note(terminal.colors.dim(`thread ${threadId}`));
  return signal.aborted || end === undefined ? EXIT.interrupted : exitCodeOf(end);
}

/** The run that a typed line starts, depending on how the previous run ended; undefined for none. */
function turnOf(line: string, end: RunEnd): Pick<RunRequest, 'input' | 'resume'> | undefined {
  if (line.trim() === '') return end.kind === 'stopped' ? { input: null } : undefined;
  return end.kind === 'asks' ? { resume: answerOf(line) } : { input: conversationInput(line) };
}

function promptText({ kind }: RunEnd): string {
  if (kind === 'asks') return 'Type the answer: text, or JSON.';
  return kind === 'stopped' ? 'Press Enter to continue, or type a message to start again.' : '';
}

/** Shows what a thread is waiting for, and returns it. */
async function showWaiting({ terminal, interrupted: signal }: Context, client: Client, thread_id: string) {
  const end = pauseOf(await client.threads.getState({ params: { thread_id } }, { signal }));
  showEnd(new RunPrinter(terminal), end);
  return end;
}

/** The typed lines, with a prompt in a terminal. */
async function* readLines({ stdin, terminal, interrupted: signal }: Context): AsyncGenerator<string> {
  const isTerminal = stdin.isTTY === true;
  const reader = createInterface({
    input: stdin,
    ...(isTerminal ? { output: process.stderr, prompt: '› ' } : {}),
    terminal: isTerminal,
    signal,
  });
  // In raw mode the terminal sends no signal for Ctrl-C.
  reader.on('SIGINT', () => process.emit('SIGINT'));
  const prompt = () => {
    terminal.freshLine();
    if (isTerminal && !signal.aborted) reader.prompt();
  };
  prompt();
  for await (const line of reader) {
    yield line;
    prompt();
  }
}
