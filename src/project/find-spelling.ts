import path from 'node:path';
import type { ProjectFiles } from './project-files.ts';

/**
 * The spelling of a path that works on every system: with slashes, and in the case of the file names. Windows and macOS
 * also accept other spellings.
 * @param place an existing path, relative to the folder.
 */
export async function findSpelling(
  files: Pick<ProjectFiles, 'list'>,
  folder: string,
  place: string,
): Promise<string> {
  if (path.posix.isAbsolute(place) || path.win32.isAbsolute(place)) return place;
  const parts = place.split(/[\\/]/);
  let at = folder;
  for (const [index, part] of parts.entries()) {
    if (part !== '' && part !== '.' && part !== '..') {
      const names = (await files.list(at)).map(({ name }) => name);
      const name = names.includes(part)
        ? part
        : names.find((one) => one.toLowerCase() === part.toLowerCase());
      if (name === undefined) return place;
      parts[index] = name;
    }
    at = path.join(at, parts[index] ?? '');
  }
  return parts.join('/');
}
