import { Command, CommanderError } from 'commander';
import { assistantsCommand } from './commands/assistants.ts';
import { checkCommand } from './commands/check.ts';
import { cronsCommand } from './commands/crons.ts';
import { datasetsCommand } from './commands/datasets/datasets.ts';
import { deleteCommand } from './commands/delete.ts';
import { deployCommand } from './commands/deploy.ts';
import { deploymentsCommand } from './commands/deployments.ts';
import { devCommand } from './commands/dev.ts';
import { logsCommand } from './commands/logs.ts';
import { newCommand } from './commands/new.ts';
import { projectsCommand } from './commands/projects.ts';
import { purgeCommand } from './commands/purge.ts';
import { revisionsCommand } from './commands/revisions.ts';
import { rollbackCommand } from './commands/rollback.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { serveCommand } from './commands/serve.ts';
import { storeCommand } from './commands/store.ts';
import { threadsCommand } from './commands/threads/threads.ts';
import { traceCommand } from './commands/trace.ts';
import { tracesCommand } from './commands/traces.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { explain, Failure } from './failure.ts';

/**
 * Runs the command line and tells of every failure in one sentence.
 * @param argv without the names of Node and the script.
 * @returns the exit code.
 */
export async function runProgram(context: Context, argv: readonly string[]): Promise<number> {
  try {
    await program(context).parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (context.interrupted.aborted) return EXIT.interrupted;
    context.terminal.failure(explain(error));
    return error instanceof Failure ? error.exitCode : EXIT.failed;
  }
}

const COMMANDS = [
  newCommand,
  devCommand,
  serveCommand,
  runCommand,
  assistantsCommand,
  threadsCommand,
  runsCommand,
  storeCommand,
  cronsCommand,
  tracesCommand,
  traceCommand,
  projectsCommand,
  datasetsCommand,
  purgeCommand,
  checkCommand,
  deployCommand,
  deploymentsCommand,
  revisionsCommand,
  logsCommand,
  rollbackCommand,
  deleteCommand,
];

function program(context: Context): Command {
  const root = new Command('agent-harbor')
    .description('Run, stream, trace and deploy LangGraph agents.')
    .version(context.version)
    .showHelpAfterError('Try --help.')
    .configureHelp({ showGlobalOptions: true });
  for (const make of COMMANDS) root.addCommand(make(context));
  for (const command of withSubcommands(root)) command.exitOverride().copyInheritedSettings(root);
  return root;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
