import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { findAssistant } from '../agents/find-assistant.ts';
import { readHeaders } from '../agents/headers.ts';
import { streamModeOption, streamModes } from '../agents/stream-modes.ts';
import { addTargetOptions, checkTarget, connectTo, type TargetOptions } from '../agents/target.ts';
import { answerArgument } from '../arguments/answer.ts';
import { costArgument, listArgument, readTextArgument } from '../arguments/arguments.ts';
import { idArgument, jsonArgument, objectArgument, refuseUnquotedJson } from '../arguments/json-arguments.ts';
import { connectToFolder } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import { NextCommands } from '../render/next-commands.ts';
import { chat } from '../runs/chat.ts';
import { findUnknownInputKeys } from '../runs/input-keys.ts';
import { requireNodes } from '../runs/require-nodes.ts';
import { requirePause } from '../runs/require-pause.ts';
import { exitCodeOf } from '../runs/run-end.ts';
import { runInTerminal } from '../runs/run-in-terminal.ts';
import { conversationInput, type NodeSelection, type RunRequest } from '../runs/run-request.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith, usage } from '../terminal/failure.ts';

interface RunOptions extends TargetOptions {
  readonly message?: string;
  readonly chat?: true;
  readonly continue?: true;
  readonly checkpoint?: string;
  readonly interruptBefore?: readonly string[];
  readonly interruptAfter?: readonly string[];
  readonly input?: string;
  readonly resume?: string;
  readonly thread?: string;
  readonly streamMode?: readonly string[];
  readonly context?: string;
  readonly configurable?: string;
  readonly maxCost?: number;
  readonly record?: string;
  readonly replay?: string;
  readonly json?: true;
}

export function runCommand(context: Context): Command {
  const command = new Command('run')
    .description('run an agent and stream its output')
    .argument('<assistant>', 'graph of langgraph.json, or ID or name of an assistant')
    .argument('[message]', 'message to send, as with --message')
    .option('-m, --message <text>', 'message to send; - reads standard input')
    .option(
      '--chat',
      'chat: send each line of standard input as a message (default in a terminal when there is nothing else to run)',
    )
    .option('--input <json>', 'input of the run; - reads standard input')
    .option('--resume <answer>', 'answer an interrupted thread, with JSON or text; needs --thread')
    .option('--continue', 'continue a thread that a breakpoint or an error stopped; needs --thread')
    .option('--thread <id>', 'continue this thread (default: a new thread)')
    .option('--checkpoint <id>', 'start from this earlier state of the thread; needs --thread')
    .option(
      '--interrupt-before <nodes>',
      "stop before these nodes, separated by commas; '*' for all",
      listArgument,
    )
    .option(
      '--interrupt-after <nodes>',
      "stop after these nodes, separated by commas; '*' for all",
      listArgument,
    )
    .addOption(streamModeOption())
    .option('--context <json>', 'context of the run')
    .option('--configurable <json>', 'config.configurable of the run')
    .option('--max-cost <dollars>', 'end the run after the model call that reaches this cost', costArgument)
    .option('--record <file>', 'save the run to a file for agent-harbor replay')
    .option('--replay <cassette>', 'answer models and tools from a vcrpy cassette, without network requests');
  return addTargetOptions(command)
    .option('--json', 'print one line of JSON per event')
    .action((assistant: string, message: string | undefined, options: RunOptions) => {
      if (message !== undefined && options.message !== undefined) {
        throw usage('Pass the message once: after the name of the agent, or with --message.');
      }
      return run(context, assistant, { ...options, ...(message === undefined ? {} : { message }) });
    });
}

async function run(context: Context, assistant: string, options: RunOptions): Promise<void> {
  checkTarget(options);
  const isChat = options.chat === true || (context.stdin.isTTY === true && hasNothingToRun(options));
  const request = await readRequest(context, assistant, options, isChat);
  const headers = await readHeaders(options);
  if (options.record !== undefined) {
    const { prepareFile } = await import('../../run-files/replace-file.ts');
    await prepareFile(resolve(options.record));
  }
  const session =
    options.deployment === undefined
      ? await connectToFolder(context, { ...options, graph: assistant })
      : await connectTo(context, options, options.deployment);
  try {
    const client = session.client.withHeaders(headers);
    const { interrupted: signal } = context;
    const found = { ...request, assistant: await findAssistant(client, assistant, signal) };
    const { threadId, interruptBefore, interruptAfter } = request;
    const stops = [interruptBefore, interruptAfter].flatMap((nodes) => (nodes === '*' ? [] : (nodes ?? [])));
    await requireNodes(client, found.assistant, stops, signal);
    if (threadId !== undefined && (options.resume !== undefined || continues(options))) {
      const wanted = options.resume === undefined ? 'continue' : 'answer';
      await requirePause(client, { ...request, threadId }, wanted, signal);
    }
    endWith(isChat ? await chat(context, client, found) : await runOnce(context, client, options, found));
  } finally {
    await session.close();
  }
}

/** Runs the request, with a cassette or a recording if wanted. @returns the exit code */
async function runOnce(
  context: Context,
  client: Client,
  options: RunOptions,
  request: Omit<RunRequest, 'record' | 'onEnd'>,
): Promise<number> {
  const { replay, record, input } = options;
  const { threadId, assistant } = request;
  const end = await runInTerminal(context, client, {
    ...request,
    ...(replay === undefined ? {} : await useCassette(context, client, options, { file: replay, threadId })),
    ...(record === undefined
      ? {}
      : { record: true, onEnd: await makeSaver(context, client, options, assistant, record) }),
  });
  if (end === undefined) return EXIT.interrupted;
  if (input !== undefined) await noteUnknownKeys(context, client, { assistant, input: request.input, end });
  return exitCodeOf(end);
}

/** Notes keys of the input that the graph does not know. */
async function noteUnknownKeys(
  { terminal, interrupted }: Context,
  client: Client,
  run: Parameters<typeof findUnknownInputKeys>[1],
): Promise<void> {
  for (const sentence of await findUnknownInputKeys(client, run, interrupted))
    terminal.note(terminal.errorColors.yellow(sentence));
}

/**
 * Stores the answers of a cassette on the thread of the run.
 * @returns the parts of the request with which the run gets these answers
 */
async function useCassette(
  { environment, interrupted }: Context,
  client: Client,
  { config, deployment }: RunOptions,
  { file, threadId }: { readonly file: string; readonly threadId: string | undefined },
) {
  const { addCassette } = await import('../runs/replay-cassette.ts');
  const configPath = deployment === undefined ? await findConfig(config) : undefined;
  return addCassette(client, file, { threadId, configPath, environment }, interrupted);
}

/** Makes the function that saves the run when it has ended. */
async function makeSaver(
  context: Context,
  client: Client,
  { config, deployment }: RunOptions,
  assistant: string,
  file: string,
): Promise<NonNullable<RunRequest['onEnd']>> {
  const { saveRecordedRun } = await import('../runs/save-recorded-run.ts');
  const configPath = deployment === undefined ? await findConfig(config) : undefined;
  return async (run) => {
    const { graph_id } = await client.assistants.get({ params: { assistant_id: assistant } });
    await saveRecordedRun(context, client, { ...run, graphId: graph_id, configPath, file });
  };
}

/** The options that say what to run. At most one may be passed. */
const EXCLUSIVE = ['message', 'input', 'resume', 'continue'] as const;

function hasNothingToRun(options: RunOptions): boolean {
  return [...EXCLUSIVE, 'checkpoint' as const, 'json' as const].every((name) => options[name] === undefined);
}

/** Whether the run has no input: it continues from where its thread stopped, or from a checkpoint. */
function continues(options: RunOptions): boolean {
  if (options.continue) return true;
  return options.checkpoint !== undefined && EXCLUSIVE.every((name) => options[name] === undefined);
}

/** Refuses options that do not go together. @throws Failure */
function checkOptions(assistant: string, options: RunOptions, isChat: boolean): void {
  const { message, input, resume, thread } = options;
  const given = EXCLUSIVE.filter((name) => options[name] !== undefined);
  if (given.length === 0 && !isChat && !continues(options)) {
    throw usage(
      `Nothing to run. Pass a message: agent-harbor run ${/\s/.test(assistant) ? 'my_graph' : assistant} "Hello". Or pass --input '{"key": "value"}', or --resume to answer an interrupted thread.`,
    );
  }
  if (given.length > 1) {
    throw usage('Pass only one of a message, --input, --resume and --continue.');
  }
  for (const name of ['resume', 'continue', 'checkpoint'] as const) {
    if (options[name] !== undefined && thread === undefined) throw usage(`--${name} needs --thread.`);
  }
  if (options.replay !== undefined && (isChat || options.record !== undefined)) {
    throw usage('--replay answers one run and cannot be used with --chat or --record.');
  }
  if (isChat && options.record !== undefined) {
    throw usage('--record saves one run and cannot be used with --chat.');
  }
  if (isChat && (resume !== undefined || continues(options) || message === '-' || input === '-')) {
    throw usage(
      '--chat reads messages from standard input and cannot be used with --resume, --continue, --checkpoint or -.',
    );
  }
}

/** Reads the command line before anything is started. @throws Failure for invalid options */
async function readRequest(
  { stdin }: Context,
  assistant: string,
  options: RunOptions,
  isChat: boolean,
): Promise<RunRequest> {
  checkOptions(assistant, options, isChat);
  if (options.message !== undefined) refuseUnquotedJson(options.message);
  const { message, input, resume, thread, checkpoint, interruptBefore, interruptAfter } = options;
  return {
    assistant,
    ...(message === undefined ? {} : { input: conversationInput(await readTextArgument(message, stdin)) }),
    ...(input === undefined ? {} : { input: jsonArgument('--input', await readTextArgument(input, stdin)) }),
    ...(resume === undefined ? {} : { resume: answerArgument(await readTextArgument(resume, stdin)) }),
    ...(continues(options) ? { input: null } : {}),
    ...(thread === undefined ? {} : { threadId: idArgument('thread', thread) }),
    ...(checkpoint === undefined ? {} : { checkpointId: idArgument('checkpoint', checkpoint) }),
    ...(interruptBefore === undefined ? {} : { interruptBefore: nodesOf(interruptBefore) }),
    ...(interruptAfter === undefined ? {} : { interruptAfter: nodesOf(interruptAfter) }),
    ...(options.context === undefined ? {} : { context: objectArgument('--context', options.context) }),
    ...(options.configurable === undefined
      ? {}
      : { configurable: objectArgument('--configurable', options.configurable) }),
    ...(options.maxCost === undefined ? {} : { maxCost: options.maxCost }),
    streamModes: streamModes(options.streamMode),
    json: options.json === true,
    next: new NextCommands(options),
  };
}

function nodesOf(names: readonly string[]): NodeSelection {
  return names.includes('*') ? '*' : [...names];
}
