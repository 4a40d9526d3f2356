import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSystemCode } from './error-codes.ts';

/**
 * The number of retries, with growing pauses of 5.5 seconds in total: on Windows, a program that is being ended keeps
 * its files open for a while.
 */
const RETRIES_ON_WINDOWS = 10;
const RETRIES = 3;
/** The first pause; each further pause is this much longer. */
const PAUSE_MS = 100;
/** Errors that no longer occur once another program has closed the files. */
const PASSING = new Set(['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM']);

/** The system that the folder is on; tests pass another one. */
interface System {
  readonly platform: NodeJS.Platform;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Removes a folder with its contents, if it exists. The retries of `rm` itself are not used: it retries at each level of
 * folders, which takes minutes for a file that is in use three levels down.
 * @throws NodeJS.ErrnoException
 */
export async function removeFolder(
  folder: string,
  { platform, pause }: System = { platform: process.platform, pause: sleep },
): Promise<void> {
  const retries = platform === 'win32' ? RETRIES_ON_WINDOWS : RETRIES;
  for (let attempt = 1; ; attempt++) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt > retries || !PASSING.has(fileSystemCode(error) ?? '')) throw error;
      await pause(attempt * PAUSE_MS);
    }
  }
}
