import { Command } from 'commander';
import { portArgument } from '../arguments/arguments.ts';
import { findConfig } from '../folders/open-folder.ts';
import { addImageOptions, type BuildOptions } from '../images/image-options.ts';
import type { ProgramOptions } from '../terminal/context.ts';

const DEFAULT_PORT = 8123;

interface Options extends BuildOptions {
  readonly port: number;
  readonly image?: string;
  readonly env?: string;
}

export function upCommand(program: ProgramOptions): Command {
  const command = new Command('up')
    .description('build an image of a project and run it until you stop it; a volume keeps its data')
    .option('--port <number>', 'port of this machine; 0 for any free port', portArgument, DEFAULT_PORT)
    .option('--image <name>', 'run this image instead of building one')
    .option('--env <file>', 'env file for the graphs (default: env of langgraph.json; without it, .env)');
  return addImageOptions(command)
    .option('--pull', 'pull newer base images')
    .action(async (options: Options) => {
      const configPath = await findConfig(options.config);
      const { UpSession } = await import('../images/up-session.ts');
      await new UpSession(program, { ...options, configPath }).run();
    });
}
