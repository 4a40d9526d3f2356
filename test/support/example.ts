import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, npm, projectRoot } from './cache.ts';
import { withLock } from './lock.ts';

/**
 * The folder of a project in `examples/`, with its own dependencies in place: they are installed from its lockfile
 * (`npm ci --prefix examples/<name>`) when they are missing or older than it.
 *
 * @throws an Error with npm's output when the installation fails
 */
export async function exampleFolder(name: string): Promise<string> {
  const folder = path.join(projectRoot, 'examples', name);
  if (await isInstalled(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  await withLock(path.join(cacheFolder(), `.lock-example-${name}`), async () => {
    if (!(await isInstalled(folder))) await npm(['ci'], folder);
  });
  return folder;
}

async function isInstalled(folder: string): Promise<boolean> {
  // npm writes this file last, when everything else is in place.
  const installedAt = await modifiedAt(path.join(folder, 'node_modules', '.package-lock.json'));
  return installedAt >= (await modifiedAt(path.join(folder, 'package-lock.json')));
}

/** When a file was last modified, in milliseconds; 0 when there is none. */
async function modifiedAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
