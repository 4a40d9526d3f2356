import { Command } from 'commander';
import { configOption, dataDirOption, portArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { DevSession } from '../dev-session.ts';

interface DevOptions {
  readonly config: string;
  readonly port?: number;
  readonly dataDir?: string;
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
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .action((options: DevOptions) =>
      new DevSession(context, { ...options, json: options.json === true }).run(),
    );
}
