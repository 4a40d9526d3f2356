import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifPresent } from '../process/if-present.ts';
import { replace } from '../process/replace.ts';

/**
 * Creates the folder of a file that will be written, before work starts that takes long or costs money.
 * @returns the path of the file, without symbolic links if there is one already.
 * @throws the error of the file system; an error when the path leads to something other than a file, such as a
 * device, which the new file would replace.
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
 * Writes a file. It gets its name only when it is complete, and then replaces an earlier file, through symbolic
 * links.
 * @param content in pieces, with one in memory at a time.
 * @param mode of the file; by default only its owner can read it.
 * @throws what `prepareFile` throws, the error of the file system or of `content`.
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
    // The first error is the one to report.
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}
