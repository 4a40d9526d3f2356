import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { messageOf } from '../../process/message-of.ts';
import { findConfig } from '../folders/open-folder.ts';
import { addImageOptions, choicesOf, type ImageOptions } from '../images/image-options.ts';
import type { ProgramOptions } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

export function dockerfileCommand(program: ProgramOptions): Command {
  const command = new Command('dockerfile')
    .description('print the Dockerfile of a project, or write it to a file with its .dockerignore')
    .argument('[file]', 'file to write');
  return addImageOptions(command).action((file: string | undefined, options: ImageOptions) =>
    dockerfile(program, file, options),
  );
}

async function dockerfile(
  program: ProgramOptions,
  file: string | undefined,
  options: ImageOptions,
): Promise<void> {
  const { terminal } = program;
  const configPath = await findConfig(options.config);
  const { makeBuildFiles } = await import('../../images/build-image.ts');
  const made = await makeBuildFiles(configPath, choicesOf(program, options));
  for (const notice of made.notices) terminal.note(notice);
  if (file === undefined) {
    terminal.write(made.dockerfile.text);
    return;
  }
  const ignoreFile = `${file}.dockerignore`;
  try {
    await writeFile(resolve(file), made.dockerfile.text);
    await writeFile(resolve(ignoreFile), made.ignoreFile);
  } catch (error) {
    throw new Failure(`Could not write ${file}: ${messageOf(error)}`);
  }
  terminal.note(
    `Wrote ${file} and ${ignoreFile}. Build it with agent-harbor build --file ${file} --tag <name>.`,
  );
}
