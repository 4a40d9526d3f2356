import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifPresent } from '../process/if-present.ts';
import { replace } from '../process/replace.ts';

/**
 * Prepares a path for a file before work that takes long or costs money: creates its folder, and resolves
 * symbolic links of an existing file.
 * @returns the path to write to
 * @throws the error of the file system; an error when the path leads to something other than a file, such as
 * a device, which the new file would replace.
 */
export async function prepareFile(path: string): Promise<string> {
  const replaced = await ifPresent(stat(path));
  if (replaced?.isFile() === false) throw new Error(`${path} is not a file. Give the path of a file.`);
  if (replaced !== undefined) return realpath(path);
  await mkdir(dirname(path), { recursive: true });
  return path;
}

/** The mode of files that other users may read, unless the umask forbids it. */
export const READABLE = 0o666;

/**
 * Writes a file under a temporary name, and renames it when it is complete. It replaces an existing file, also through
 * symbolic links.
 * @param content in pieces, with one in memory at a time.
 * @param mode of the file; by default only its owner can read it.
 * @throws the errors of `prepareFile`, of the file system, and of `content`.
 */
export async function replaceFile(
  path: string,
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  mode = 0o600,
): Promise<void> {
  const target = await prepareFile(path);
  const unfinished = `${target}.${randomUUID()}.part`;
  const file = await open(unfinished, 'wx', mode);
  try {
    for await (const piece of content) await file.writeFile(piece);
    await file.sync();
    await file.close();
    await replace(unfinished, target);
  } catch (error) {
    // An error of closing the file is ignored, so that the first error is reported.
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}
