import { Command, CommanderError, Help } from 'commander';
import { hintFor, withoutList } from './hints.ts';
import type { Connect, ProgramOptions } from './terminal/context.ts';
import { EXIT } from './terminal/exit-codes.ts';
import { Ended, Failure, usage } from './terminal/failure.ts';

/**
 * Runs a command line and reports a failure as a sentence.
 * @param connect loads the HTTP client
 * @param args the arguments, without Node and the script
 * @returns the exit code
 */
export async function runProgram(
  options: ProgramOptions,
  connect: Connect,
  args: readonly string[],
): Promise<number> {
  const argv = withoutList(args);
  const { terminal } = options;
  try {
    const [name = ''] = argv;
    const hint = Object.hasOwn(COMMANDS, name) ? undefined : hintFor(argv);
    if (hint !== undefined) throw usage(`There is no command '${name}'. ${hint}`);
    const root = await makeProgram(options, connect, argv[0]);
    await root.parseAsync([...argv], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      const hint = hintFor(argv);
      if (hint !== undefined) terminal.note(hint);
      return EXIT.usage;
    }
    if (options.interrupted.aborted) return EXIT.interrupted;
    const { explain } = await import('./terminal/explain.ts');
    terminal.failure(
      explain(
        error,
        argv.some((word) => /^--deployment(?:=|$)/.test(word)),
      ),
    );
    return error instanceof Failure ? error.exitCode : EXIT.failed;
  }
}

type LoadCommand = (options: ProgramOptions, connect: Connect) => Promise<Command>;

/** The commands by their heading in `--help`. Each is imported on demand, because importing all takes much longer. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  Develop: {
    'new': async (_, connect) => (await import('./commands/new.ts')).newCommand(await connect()),
    dev: async (options, connect) => (await import('./commands/dev.ts')).devCommand(options, connect),
    run: async (_, connect) => (await import('./commands/run.ts')).runCommand(await connect()),
    check: async (_, connect) => (await import('./commands/check.ts')).checkCommand(await connect()),
    env: async (_, connect) => (await import('./commands/env.ts')).envCommand(await connect()),
    mcp: async (_, connect) => (await import('./commands/mcp.ts')).mcpCommand(await connect()),
  },
  'Record and evaluate': {
    cassette: async (_, connect) => (await import('./commands/cassette.ts')).cassetteCommand(await connect()),
    replay: async (_, connect) => (await import('./commands/replay.ts')).replayCommand(await connect()),
    reproduce: async (_, connect) =>
      (await import('./commands/reproduce.ts')).reproduceCommand(await connect()),
    prove: async (_, connect) => (await import('./commands/prove.ts')).proveCommand(await connect()),
    datasets: async (_, connect) =>
      (await import('./commands/datasets/datasets.ts')).datasetsCommand(await connect()),
    eval: async (_, connect) => (await import('./commands/eval.ts')).evalCommand(await connect()),
  },
  Agents: {
    assistants: async (_, connect) =>
      (await import('./commands/assistants.ts')).assistantsCommand(await connect()),
    threads: async (_, connect) =>
      (await import('./commands/threads/threads.ts')).threadsCommand(await connect()),
    runs: async (_, connect) => (await import('./commands/runs.ts')).runsCommand(await connect()),
    store: async (_, connect) => (await import('./commands/store.ts')).storeCommand(await connect()),
    crons: async (_, connect) => (await import('./commands/crons.ts')).cronsCommand(await connect()),
  },
  Traces: {
    traces: async (_, connect) =>
      (await import('./commands/traces/traces.ts')).tracesCommand(await connect()),
    trace: async (_, connect) => (await import('./commands/trace.ts')).traceCommand(await connect()),
    feedback: async (_, connect) => (await import('./commands/feedback.ts')).feedbackCommand(await connect()),
    projects: async (_, connect) => (await import('./commands/projects.ts')).projectsCommand(await connect()),
    prices: async (_, connect) => (await import('./commands/prices.ts')).pricesCommand(await connect()),
    otel: async (_, connect) => (await import('./commands/otel.ts')).otelCommand(connect),
    purge: async (_, connect) => (await import('./commands/purge.ts')).purgeCommand(await connect()),
  },
  Deploy: {
    deploy: async (_, connect) => (await import('./commands/deploy.ts')).deployCommand(await connect()),
    deployments: async (_, connect) =>
      (await import('./commands/deployments.ts')).deploymentsCommand(await connect()),
    revisions: async (_, connect) =>
      (await import('./commands/revisions.ts')).revisionsCommand(await connect()),
    logs: async (_, connect) => (await import('./commands/logs.ts')).logsCommand(await connect()),
    rollback: async (_, connect) => (await import('./commands/rollback.ts')).rollbackCommand(await connect()),
    pause: async (_, connect) => (await import('./commands/pause.ts')).pauseCommand(await connect()),
    resume: async (_, connect) => (await import('./commands/pause.ts')).resumeCommand(await connect()),
    'end-draining': async (_, connect) =>
      (await import('./commands/end-draining.ts')).endDrainingCommand(await connect()),
    delete: async (_, connect) => (await import('./commands/delete.ts')).deleteCommand(await connect()),
    dockerfile: async (options) => (await import('./commands/dockerfile.ts')).dockerfileCommand(options),
    build: async (options) => (await import('./commands/build.ts')).buildCommand(options),
    up: async (options) => (await import('./commands/up.ts')).upCommand(options),
  },
  Server: {
    serve: async (_, connect) => (await import('./commands/serve.ts')).serveCommand(connect),
    status: async (_, connect) => (await import('./commands/status.ts')).statusCommand(await connect()),
    stop: async (_, connect) => (await import('./commands/stop.ts')).stopCommand(await connect()),
    keys: async (_, connect) => (await import('./commands/keys.ts')).keysCommand(await connect()),
    audit: async (_, connect) => (await import('./commands/audit.ts')).auditCommand(await connect()),
    limits: async (_, connect) => (await import('./commands/limits.ts')).limitsCommand(await connect()),
    team: async (options) => (await import('./commands/team.ts')).teamCommand(options),
    move: async (options) => (await import('./commands/move.ts')).moveCommand(options),
    'rotate-secrets-key': async (options) =>
      (await import('./commands/rotate-secrets-key.ts')).rotateSecretsKeyCommand(options),
  },
};

/** The same commands by name, with their headings set. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = Object.fromEntries(
  Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, load]): [string, LoadCommand] => [
      name,
      async (options, connect) => (await load(options, connect)).helpGroup(`${group}:`),
    ]),
  ),
);

/** Builds the command line. @param wanted the command to load; all are loaded if there is none with this name. */
export async function makeProgram(
  options: ProgramOptions,
  connect: Connect,
  wanted: string | undefined,
): Promise<Command> {
  const root = new Command('agent-harbor')
    .description('Run, stream, trace and deploy LangGraph agents.')
    .version(options.version)
    .showHelpAfterError('Try --help.')
    // Options after a subcommand belong to it, even if the command above has one of the same name.
    .enablePositionalOptions()
    .configureHelp({
      showGlobalOptions: true,
      optionDescription: (option) =>
        `${Help.prototype.optionDescription.call(new Help(), option)}${option.mandatory ? ' (required)' : ''}`,
    });
  for (const load of loadersOf(wanted)) root.addCommand(await load(options, connect));
  for (const command of withSubcommands(root)) command.exitOverride().copyInheritedSettings(root);
  return root;
}

/** The commands to load for the first argument: none for the version, one for its name, else all. */
function loadersOf(wanted: string | undefined): readonly LoadCommand[] {
  if (wanted === '--version' || wanted === '-V') return [];
  const named = wanted !== undefined && Object.hasOwn(COMMANDS, wanted) ? COMMANDS[wanted] : undefined;
  return named === undefined ? Object.values(COMMANDS) : [named];
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
