import { statfs } from 'node:fs/promises';
import { ifReadable } from '../../../process/if-present.ts';
import { BuildError } from '../../../project/build-error.ts';

/** A disk with less free space than this counts as full. */
const NEARLY_FULL_BYTES = 32 * 1_048_576;

/** How programs and Node report that the disk is full. */
const SAYS_FULL = /\bENOSPC\b|No space left on device|not enough space on the disk/i;

/**
 * The error of a failed build. If the disk is full, the error says so, because package managers often do not.
 * @param dir a folder on the disk of the build. Call this before anything is removed from that disk.
 * @returns a BuildError about the disk, or the same error.
 */
export async function withFullDisk(error: unknown, dir: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const disk = await ifReadable(statfs(dir));
  const free = disk === undefined ? undefined : disk.bavail * disk.bsize;
  const isFull = free !== undefined && free < NEARLY_FULL_BYTES;
  if (!SAYS_FULL.test(error.message) && !(isFull && error instanceof BuildError)) return error;
  const [sentence = '', ...below] = error.message.split('\n');
  const place = isFull ? 'The disk of the data folder is full' : 'A disk is full';
  return new BuildError([`${place}. Free some space and deploy again. ${sentence}`, ...below].join('\n'));
}
