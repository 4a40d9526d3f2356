import { resolve } from 'node:path';
import { Command } from 'commander';
import { findConfig } from '../folders/open-folder.ts';
import { buildFrom } from '../images/build-from.ts';
import { addImageOptions, type BuildOptions } from '../images/image-options.ts';
import type { ProgramOptions } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface Options extends BuildOptions {
  readonly tag: string;
}

export function buildCommand(program: ProgramOptions): Command {
  const command = new Command('build')
    .description('build a container image of a project, with Docker or Podman')
    .requiredOption('-t, --tag <name>', 'name of the image')
    .option('--file <dockerfile>', 'Dockerfile written by agent-harbor dockerfile');
  return addImageOptions(command)
    .option('--no-cache', 'build every layer again')
    .option('--pull', 'pull newer base images')
    .action((options: Options) => build(program, options));
}

async function build(program: ProgramOptions, options: Options): Promise<void> {
  const { terminal, environment } = program;
  const configPath = await findConfig(options.config);
  const { imageNameProblem } = await import('../../images/image-name.ts');
  const wrong = imageNameProblem(options.tag);
  if (wrong !== undefined) throw usage(wrong);
  const { findContainerTool } = await import('../../containers/container-tool.ts');
  const tool = await findContainerTool(environment);
  terminal.note(terminal.errorColors.dim(tool.title));
  const { tag } = options;
  const file = options.file === undefined ? undefined : resolve(options.file);
  await buildFrom(program, { tool, configPath, tag, options: { ...options, file } });
  terminal.line(tag);
  terminal.note(
    `Built ${tag}. Run it here with agent-harbor up --image ${tag}, or on any machine with ${tool.name} run -p 8000:8000 -e AGENT_HARBOR_API_KEY=<16 characters or more> -v <volume>:/data ${tag}`,
  );
}
