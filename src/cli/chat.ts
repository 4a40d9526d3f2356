import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Client } from '../client/client.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { RunPrinter } from './render/run-events.ts';
import { conversationInput, type RunRequest, runInTerminal } from './run-in-terminal.ts';

/**
 * A conversation on one thread: each line of standard input is a message, or the answer to the question that the run
 * before it stopped at (JSON, or else text). It ends with the input.
 * @param request the first turn when it has an input, and what all turns have in common.
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

/** Shows the questions that a thread waits with, if it does. */
async function isWaiting({ terminal, interrupted: signal }: Context, client: Client, thread_id: string) {
  const { interrupts } = await client.threads.getState({ params: { thread_id } }, { signal });
  const questions = (interrupts ?? []).map(({ value }) => value);
  new RunPrinter(terminal).showInterrupts(questions);
  return questions.length > 0;
}

/** What is typed, a line at a time; in a terminal behind a prompt. */
async function* lines({ stdin, terminal, interrupted: signal }: Context): AsyncGenerator<string> {
  const isTerminal = stdin.isTTY === true;
  const reader = createInterface({
    input: stdin,
    ...(isTerminal ? { output: process.stderr, prompt: '› ' } : {}),
    terminal: isTerminal,
    signal,
  });
  // A terminal that is read key by key sends no signal.
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
