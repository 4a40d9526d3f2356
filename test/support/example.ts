import { stat } from 'node:fs/promises';
import path from 'node:path';
import { npm, projectRoot } from './cache.ts';

/**
 * The folder of a project in `examples/`, with its own dependencies in place: they are installed from its lockfile
 * (`npm ci --prefix examples/<name>`) when they are missing or older than it.
 *
 * @throws an Error with npm's output when the installation fails
 */
export async function exampleFolder(name: string): Promise<string> {
  const folder = path.join(projectRoot, 'examples', name);
  // npm writes this file last, when everything else is in place.
  const installed = await modifiedAt(path.join(folder, 'node_modules', '.package-lock.json'));
  if (installed < (await modifiedAt(path.join(folder, 'package-lock.json')))) await npm(['ci'], folder);
  return folder;
}

/** When a file was last modified, in milliseconds; 0 when there is none. */
async function modifiedAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
