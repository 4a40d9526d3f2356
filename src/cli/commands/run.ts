import { Command } from 'commander';
import { StreamMode } from '../../contract/agent-server/runs.ts';
import { connectToWorkspace } from '../agent-connection.ts';
import { connectTo } from '../agents/target.ts';
import { configOption, dataDirOption, listArgument, textArgument } from '../arguments.ts';
import { type ConnectOptions, connectionOption } from '../connections/connect.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { idArgument, jsonArgument, objectArgument } from '../json-arguments.ts';
import { type RunRequest, runInTerminal } from '../run-in-terminal.ts';

interface RunOptions extends ConnectOptions {
  readonly input?: string;
  readonly resume?: string;
  readonly thread?: string;
  readonly streamMode?: readonly string[];
  readonly context?: string;
  readonly configurable?: string;
  readonly config: string;
  readonly deployment?: string;
  readonly json?: true;
}

export function runCommand(context: Context): Command {
  return new Command('run')
    .description('run an agent and show what it says as it says it')
    .argument('<assistant>', 'a graph of langgraph.json, or the ID of an assistant')
    .option('--input <json>', "the run's input; - reads it from standard input")
    .option('--resume <json>', 'answer the question that a thread waits with; needs --thread')
    .option('--thread <id>', 'go on with this thread; a new one otherwise')
    .option(
      '--stream-mode <modes>',
      `what to show, separated by commas, of ${StreamMode.options.join(', ')} (default: messages-tuple,updates,custom)`,
      listArgument,
    )
    .option('--context <json>', "the run's context")
    .option('--configurable <json>', "the run's config.configurable")
    .addOption(configOption())
    .option('--deployment <where>', "instead of the agent here: a deployment's address, name or ID")
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .option('--json', 'print every event as a line of JSON')
    .action((assistant: string, options: RunOptions) => run(context, assistant, options));
}

async function run(context: Context, assistant: string, options: RunOptions): Promise<void> {
  const request = await requestOf(context, assistant, options);
  const session =
    options.deployment === undefined
      ? await connectToWorkspace(context, { ...options, graph: assistant })
      : await connectTo(context, options, options.deployment);
  try {
    process.exitCode = await runInTerminal(context, session.client, request);
  } finally {
    await session.close();
  }
}

/** Checks the whole command line before anything is started. */
async function requestOf({ stdin }: Context, assistant: string, options: RunOptions): Promise<RunRequest> {
  const { input, resume, thread } = options;
  if (input === undefined && resume === undefined) {
    throw usage(
      `Say what to run it with: --input '{"messages": "Hello"}', or --resume to answer its question.`,
    );
  }
  if (input !== undefined && resume !== undefined) {
    throw usage('--input begins a run and --resume answers one: give one of them.');
  }
  if (resume !== undefined && thread === undefined) {
    throw usage('--resume needs the --thread that waits for the answer.');
  }
  return {
    assistant,
    ...(input === undefined ? {} : { input: jsonArgument('--input', await textArgument(input, stdin)) }),
    ...(resume === undefined ? {} : { resume: jsonArgument('--resume', await textArgument(resume, stdin)) }),
    ...(thread === undefined ? {} : { threadId: idArgument('thread', thread) }),
    ...(options.context === undefined ? {} : { context: objectArgument('--context', options.context) }),
    ...(options.configurable === undefined
      ? {}
      : { configurable: objectArgument('--configurable', options.configurable) }),
    streamModes: (options.streamMode ?? ['messages-tuple', 'updates', 'custom']).map(streamMode),
    json: options.json === true,
  };
}

function streamMode(name: string): StreamMode {
  const mode = StreamMode.safeParse(name);
  if (mode.success) return mode.data;
  throw usage(`'${name}' is no stream mode; choose of ${StreamMode.options.join(', ')}.`);
}
