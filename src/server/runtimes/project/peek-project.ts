import path from 'node:path';
import { isObject, objectAt } from '../../../process/objects.ts';
import { readText } from '../../../project/read-text.ts';
import { readVariables, valuesOf } from '../../../project/variables.ts';
import { languageOf } from './language.ts';
import type { Project } from './project.ts';

/** The part of a project that decides which process runs its Node graphs. */
type PeekedProject = Pick<Project, 'dir' | 'env' | 'isIsolated'>;

/**
 * Reads some parts of a project without validating it, because loading the code that validates takes longer.
 * Callers must compare the result with the project itself.
 * @returns undefined when the project has no Node graphs.
 * @throws the error of reading the files.
 */
export async function peekProject(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PeekedProject | undefined> {
  const config: unknown = JSON.parse(await readText(configPath));
  if (!isObject(config)) return undefined;
  const places = Object.values(objectAt(config, 'graphs')).map((entry) =>
    isObject(entry) ? entry.path : entry,
  );
  if (!places.some((place) => typeof place === 'string' && languageOf(place) === 'node')) return undefined;
  const dir = path.dirname(configPath);
  const env = valuesOf(await readVariables(dir, config.env, environment));
  // Only deployments that a server has built are isolated.
  return { dir, env, isIsolated: false };
}
