import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ifReadable } from '../../process/if-present.ts';
import { prepareFile, READABLE, replaceFile } from '../../run-files/replace-file.ts';

/** Creates the folder of an output file, if the path is not a pipe or a device. @throws what `prepareFile` throws */
export async function prepareOutput(path: string): Promise<void> {
  if (!(await isStream(path))) await prepareFile(resolve(path));
}

/**
 * Writes to a path from the command line. A file is replaced once its content is complete; a pipe or a device, such as
 * /dev/stdout, gets each piece at once.
 */
export async function writeOutput(
  path: string,
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  if (await isStream(path)) await pipeline(content, createWriteStream(path));
  else await replaceFile(resolve(path), content, READABLE);
}

/** Whether a path leads to a pipe or a device, which a file must not replace. */
async function isStream(path: string): Promise<boolean> {
  const found = await ifReadable(stat(path));
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
