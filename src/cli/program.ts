import { Command, CommanderError } from 'commander';
import { devCommand } from './commands/dev.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { traceCommand } from './commands/trace.ts';
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

function program(context: Context): Command {
  const root = new Command('agent-harbor')
    .description('Run, stream and trace LangGraph agents on this machine.')
    .version(context.version)
    .showHelpAfterError('Try --help.')
    .configureHelp({ showGlobalOptions: true });
  for (const make of [devCommand, serveCommand, runCommand, traceCommand]) root.addCommand(make(context));
  for (const command of [root, ...root.commands]) command.exitOverride().copyInheritedSettings(root);
  return root;
}
