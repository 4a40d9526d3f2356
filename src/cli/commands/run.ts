import { Command } from 'commander';
import { connectToFolder } from '../agent-connection.ts';
import { findAssistant } from '../agents/find-assistant.ts';
import { readHeaders } from '../agents/headers.ts';
import { streamModeOption, streamModes } from '../agents/stream-modes.ts';
import { addTargetOptions, connectTo, type TargetOptions } from '../agents/target.ts';
import { textArgument } from '../arguments.ts';
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
    .description('run an agent and stream its output')
    .argument('<assistant>', 'graph of langgraph.json, or ID or name of an assistant')
    .option('--message <text>', 'message to send; - reads standard input')
    .option(
      '--chat',
      'chat: send each line of standard input as a message (default in a terminal without --message, --input and --resume)',
    )
    .option('--input <json>', 'input of the run; - reads standard input')
    .option('--resume <json>', 'answer an interrupted thread; needs --thread')
    .option('--thread <id>', 'continue this thread (default: a new thread)')
    .addOption(streamModeOption())
    .option('--context <json>', 'context of the run')
    .option('--configurable <json>', 'config.configurable of the run');
  return addTargetOptions(command)
    .option('--json', 'print one line of JSON per event')
    .action((assistant: string, options: RunOptions) => run(context, assistant, options));
}

async function run(context: Context, assistant: string, options: RunOptions): Promise<void> {
  const isChat = options.chat === true || (context.stdin.isTTY && hasNothingToRun(options));
  const request = await requestOf(context, assistant, options, isChat);
  const headers = await readHeaders(options);
  const session =
    options.deployment === undefined
      ? await connectToFolder(context, { ...options, graph: assistant })
      : await connectTo(context, options, options.deployment);
  try {
    const client = session.client.withHeaders(headers);
    const found = { ...request, assistant: await findAssistant(client, assistant, context.interrupted) };
    process.exitCode = await (isChat ? chat : runInTerminal)(context, client, found);
  } finally {
    await session.close();
  }
}

function hasNothingToRun({ message, input, resume, json }: RunOptions): boolean {
  return [message, input, resume, json].every((option) => option === undefined);
}

/** Validates the command line before anything is started. */
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
      `Nothing to run. Pass --message "Hello" or --input '{"messages": "Hello"}', or --resume to answer an interrupted thread.`,
    );
  }
  if (given > 1) {
    throw usage('Pass only one of --message, --input and --resume.');
  }
  if (resume !== undefined && thread === undefined) {
    throw usage('--resume needs --thread.');
  }
  if (isChat && (resume !== undefined || message === '-' || input === '-')) {
    throw usage('--chat reads messages from standard input and cannot be used with --resume or -.');
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
    streamModes: streamModes(options.streamMode),
    isLocal: options.deployment === undefined,
    json: options.json === true,
  };
}
