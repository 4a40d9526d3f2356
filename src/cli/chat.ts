import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Client } from '../client/client.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { RunPrinter } from './render/run-events.ts';
import { conversationInput, type RunRequest, runInTerminal } from './run-in-terminal.ts';

/**
 * A conversation on one thread. Each line of standard input is a message, or the answer to an interrupt of
 * the previous run (JSON, else text). It ends with the input.
 * @param request what all turns have in common; with an input it is the first turn.
 * @returns the exit code of the last turn.
 */
export async function chat(
  context: Context,
  client: Client,
  { input, ...request }: RunRequest,
): Promise<number> {
  const { terminal, interrupted: signal } = context;
  const threadId = request.threadId ?? randomUUID();
  let code: number = EXIT.ok;
  const turn = async (said: Pick<RunRequest, 'input' | 'resume'>) => {
    code = await runInTerminal(context, client, { ...request, ...said, threadId, isTurn: true });
  };
  if (input !== undefined) await turn({ input });
  else if (request.threadId !== undefined && (await isWaiting(context, client, threadId)))
    code = EXIT.waiting;
  for await (const line of lines(context)) {
    if (line.trim() === '') continue;
    await turn(code === EXIT.waiting ? { resume: answerOf(line) } : { input: conversationInput(line) });
    if (code === EXIT.interrupted) break;
  }
  terminal.freshLine();
  terminal.note(terminal.colors.dim(`thread ${threadId}`));
  return signal.aborted ? EXIT.interrupted : code;
}

/** Shows the pending interrupts of a thread. */
async function isWaiting({ terminal, interrupted: signal }: Context, client: Client, thread_id: string) {
  const { interrupts } = await client.threads.getState({ params: { thread_id } }, { signal });
  const questions = (interrupts ?? []).map(({ value }) => value);
  new RunPrinter(terminal).showInterrupts(questions);
  return questions.length > 0;
}

/** The typed lines, with a prompt in a terminal. */
async function* lines({ stdin, terminal, interrupted: signal }: Context): AsyncGenerator<string> {
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

function answerOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
