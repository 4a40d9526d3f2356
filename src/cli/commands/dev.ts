import { Command } from 'commander';
import { configOption, dataDirOption, portArgument, pythonArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { DevSession } from '../dev-session.ts';

interface DevOptions {
  readonly config: string;
  readonly port?: number;
  readonly dataDir?: string;
  readonly python?: string;
  readonly json?: true;
}

export function devCommand(context: Context): Command {
  return new Command('dev')
    .description('serve the agent of a langgraph.json, load it again when you save, and show its log')
    .addOption(configOption())
    .option(
      '--port <number>',
      "the agent's port; 0 is any free one (default: the one it had before, 2024 at first)",
      portArgument,
    )
    .option(
      '--python <path>',
      'the Python of Python graphs: an interpreter, or the folder of its environment (default: the one that is found)',
    )
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .action(async (options: DevOptions) => {
      const python =
        options.python === undefined ? undefined : await pythonArgument(options.python, context.environment);
      await new DevSession(context, { ...options, python, json: options.json === true }).run();
    });
}
