import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { BuildError } from '../../../project/build-error.ts';
import { filesOfExtras } from '../../runtimes/extras.ts';
import type { Project } from '../../runtimes/project.ts';

/**
 * Refuses a source whose langgraph.json refers to files outside of it, because only the source is deployed.
 * @param top the real path of the source's folder.
 * @throws BuildError
 */
export async function requireInSource(top: string, project: Project): Promise<void> {
  const { dir, envFile, config, graphs } = project;
  const named: [string, string][] = [
    ...Object.entries(envFile === undefined ? {} : { env: envFile }),
    ...Object.entries(graphs).map(([id, graph]): [string, string] => [`graphs.${id}`, fileIn(graph.path)]),
    ...filesOfExtras(config).map((place): [string, string] => [place, fileIn(place)]),
  ];
  for (const [name, file] of named) {
    const whole = path.resolve(dir, file);
    const real = await realpath(whole).catch(() => whole);
    if (!real.startsWith(top + path.sep)) {
      throw new BuildError(`'${name}' in langgraph.json points outside the source.`);
    }
  }
}

/** `./agent.ts` of `./agent.ts:graph`. */
function fileIn(place: string): string {
  return place.replace(/:[^:\\/]*$/, '');
}
