import { dirname } from 'node:path';
import type { ContainerTool } from '../../containers/container-tool.ts';
import type { ProgramOptions } from '../terminal/context.ts';
import { type BuildOptions, choicesOf } from './image-options.ts';

/**
 * Builds an image, and prints the container tool's log on standard error.
 * @param configPath the real path of a langgraph.json
 * @throws BuildError, ImageBuildError
 */
export async function buildFrom(
  program: ProgramOptions,
  {
    tool,
    configPath,
    tag,
    options,
  }: { tool: ContainerTool; configPath: string; tag: string; options: BuildOptions },
): Promise<void> {
  const { terminal, serverPath, interrupted } = program;
  const { buildImage } = await import('../../images/build-image.ts');
  await buildImage(
    tool,
    {
      ...choicesOf(program, options),
      configPath,
      tag,
      serverDir: dirname(serverPath),
      dockerfile: options.file,
      envFile: options.env,
      noCache: options.cache === false,
      pull: options.pull,
    },
    { signal: interrupted, onLine: (line) => terminal.note(line) },
  );
}
