import { type Command, Option } from 'commander';
import type { DockerfileChoices } from '../../images/dockerfile.ts';
import { configOption } from '../arguments/arguments.ts';
import type { ProgramOptions } from '../terminal/context.ts';

/** The options of commands that write Dockerfiles or build images. */
export interface ImageOptions {
  readonly config: string;
  readonly baseImage?: string;
  readonly installCommand?: string;
  readonly buildCommand?: string;
}

export function addImageOptions(command: Command): Command {
  return command
    .addOption(configOption())
    .addOption(
      new Option(
        '--base-image <name>',
        'image to build on, instead of base_image or those of node_version and python_version',
      ).env('AGENT_HARBOR_BASE_IMAGE'),
    )
    .option('--install-command <line>', 'command that installs the packages')
    .option('--build-command <line>', 'command to run after the sources are copied, such as "npm run build"');
}

export function choicesOf(program: ProgramOptions, options: ImageOptions): DockerfileChoices {
  const { baseImage, installCommand, buildCommand } = options;
  return { version: program.version, baseImage, installCommand, buildCommand };
}

/** The options of commands that build images. */
export interface BuildOptions extends ImageOptions {
  readonly file?: string | undefined;
  readonly env?: string | undefined;
  readonly cache?: boolean | undefined;
  readonly pull?: true | undefined;
}
