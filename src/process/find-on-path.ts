import { constants } from 'node:fs/promises';
import path from 'node:path';
import { exists } from './exists.ts';

/**
 * Finds a program in the folders of a PATH. On Windows, only `.exe` files are found.
 * @returns its absolute path; undefined if there is none.
 */
export async function findOnPath(name: string, searchPath = ''): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of searchPath.split(path.delimiter)) {
    const place = path.resolve(folder, file);
    if (folder !== '' && (await exists(place, constants.X_OK))) return place;
  }
  return undefined;
}
