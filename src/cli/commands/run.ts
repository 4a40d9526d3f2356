import { Command } from 'commander';
import { StreamMode } from '../../contract/agent-server/runs.ts';
import { connectToWorkspace } from '../agent-connection.ts';
import { findAssistant } from '../agents/find-assistant.ts';
import { readHeaders } from '../agents/headers.ts';
import { addTargetOptions, connectTo, type TargetOptions } from '../agents/target.ts';
import { listArgument, textArgument } from '../arguments.ts';
import { chat } from '../chat.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { idArgument, jsonArgument, objectArgument } from '../json-arguments.ts';
import { conversationInput, type RunRequest, runInTerminal } from '../run-in-terminal.ts';

interface RunOptions extends TargetOptions {
  readonly message?: string;
  readonly chat?: true;
  readonly input?: string;
  readonly resume?: string;
  readonly thread?: string;
  readonly streamMode?: readonly string[];
  readonly context?: string;
  readonly configurable?: string;
  readonly json?: true;
}

export function runCommand(context: Context): Command {
  const command = new Command('run')
    .description('run an agent and show what it says as it says it')
    .argument('<assistant>', 'a graph of langgraph.json, or the ID or name of an assistant')
    .option('--message <text>', 'say this to it; - reads it from standard input')
    .option(
      '--chat',
      'talk with it, a line of standard input a message, until the input ends (default in a terminal when nothing else says what to run it with)',
    )
    .option('--input <json>', "the run's input; - reads it from standard input")
    .option('--resume <json>', 'answer the question that a thread waits with; needs --thread')
    .option('--thread <id>', 'go on with this thread; a new one otherwise')
    .option(
      '--stream-mode <modes>',
      `what to show, separated by commas, of ${StreamMode.options.join(', ')} (default: messages-tuple,updates,custom)`,
      listArgument,
    )
    .option('--context <json>', "the run's context")
    .option('--configurable <json>', "the run's config.configurable");
  return addTargetOptions(command)
    .option('--json', 'print every event as a line of JSON')
    .action((assistant: string, options: RunOptions) => run(context, assistant, options));
}

async function run(context: Context, assistant: string, options: RunOptions): Promise<void> {
  const isChat = options.chat === true || (context.stdin.isTTY && saysNothing(options));
  const request = await requestOf(context, assistant, options, isChat);
  const headers = await readHeaders(options);
  const session =
    options.deployment === undefined
      ? await connectToWorkspace(context, { ...options, graph: assistant })
      : await connectTo(context, options, options.deployment);
  try {
    const client = session.client.withHeaders(headers);
    const found = { ...request, assistant: await findAssistant(client, assistant, context.interrupted) };
    process.exitCode = await (isChat ? chat : runInTerminal)(context, client, found);
  } finally {
    await session.close();
  }
}

function saysNothing({ message, input, resume, json }: RunOptions): boolean {
  return [message, input, resume, json].every((option) => option === undefined);
}

/** Checks the whole command line before anything is started. */
async function requestOf(
  { stdin }: Context,
  assistant: string,
  options: RunOptions,
  isChat: boolean,
): Promise<RunRequest> {
  const { message, input, resume, thread } = options;
  const given = [message, input, resume].filter((option) => option !== undefined).length;
  if (given === 0 && !isChat) {
    throw usage(
      `Say what to run it with: --message "Hello", --input '{"messages": "Hello"}', or --resume to answer its question.`,
    );
  }
  if (given > 1) {
    throw usage('--message and --input begin a run and --resume answers one: give one of them.');
  }
  if (resume !== undefined && thread === undefined) {
    throw usage('--resume needs the --thread that waits for the answer.');
  }
  if (isChat && (resume !== undefined || message === '-' || input === '-')) {
    throw usage('--chat reads messages and answers from standard input: leave out --resume and -.');
  }
  return {
    assistant,
    ...(message === undefined ? {} : { input: conversationInput(await textArgument(message, stdin)) }),
    ...(input === undefined ? {} : { input: jsonArgument('--input', await textArgument(input, stdin)) }),
    ...(resume === undefined ? {} : { resume: jsonArgument('--resume', await textArgument(resume, stdin)) }),
    ...(thread === undefined ? {} : { threadId: idArgument('thread', thread) }),
    ...(options.context === undefined ? {} : { context: objectArgument('--context', options.context) }),
    ...(options.configurable === undefined
      ? {}
      : { configurable: objectArgument('--configurable', options.configurable) }),
    streamModes: (options.streamMode ?? ['messages-tuple', 'updates', 'custom']).map(streamMode),
    isLocal: options.deployment === undefined,
    json: options.json === true,
  };
}

function streamMode(name: string): StreamMode {
  const mode = StreamMode.safeParse(name);
  if (mode.success) return mode.data;
  throw usage(`'${name}' is no stream mode; choose of ${StreamMode.options.join(', ')}.`);
}
