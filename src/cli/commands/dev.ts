import { Command } from 'commander';
import { HeadStart } from '../../launcher/head-start.ts';
import { configOption, dataDirOption, portArgument, pythonArgument } from '../arguments.ts';
import { type Context, dataDirOf, type ProgramOptions } from '../context.ts';
import { findConfig, HOLDER } from '../workspace.ts';

interface DevOptions {
  readonly config: string;
  readonly port?: number;
  readonly dataDir?: string;
  readonly python?: string;
  readonly requireKey?: true;
  readonly json?: true;
}

export function devCommand(surroundings: ProgramOptions, connect: () => Promise<Context>): Command {
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
    .option(
      '--require-key',
      'let nobody call the agent without the API key, other users of this machine neither',
    )
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .action(async (options: DevOptions) => {
      const python =
        options.python === undefined
          ? undefined
          : await pythonArgument(options.python, surroundings.environment);
      const configPath = await findConfig(options.config);
      // The server loads, and the graphs with it, while this program does.
      const headStart = await HeadStart.begin({
        dataDir: dataDirOf(surroundings, options),
        serverPath: surroundings.serverPath,
        workspace: {
          config_path: configPath,
          holder: HOLDER,
          port: options.port,
          python,
          require_key: options.requireKey,
        },
      });
      await headStart.announced(dataDirOf(surroundings, options), surroundings.interrupted);
      const [context, { DevSession }] = await Promise.all([connect(), import('../dev-session.ts')]);
      const session = { ...options, configPath, python, headStart, json: options.json === true };
      await new DevSession(context, session).run();
    });
}
