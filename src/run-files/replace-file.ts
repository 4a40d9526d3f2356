import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';

/**
 * Writes a file that only its owner can read. It has its name only when it is complete; what had the name before is replaced
 * then, through symbolic links.
 * @param content in the pieces that are written, one in memory at a time.
 * @throws the error of the file system, or of what makes the pieces; an error when the path leads to something else than a
 * file, such as a device, which the new file would take the place of.
 */
export async function replaceFile(
  path: string,
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const replaced = await stat(path).catch(() => undefined);
  if (replaced?.isFile() === false) throw new Error(`${path} is not a file. Give the path of a file.`);
  const target = replaced === undefined ? path : await realpath(path);
  const unfinished = `${target}.${randomUUID()}.part`;
  const file = await open(unfinished, 'wx', 0o600);
  try {
    for await (const piece of content) await file.writeFile(piece);
    await file.sync();
    await file.close();
    await rename(unfinished, target);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}
