import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSystemCode } from './error-codes.ts';

/**
 * The number of tries, with growing pauses of 5 seconds in total: on Windows, a program that is being ended keeps its
 * files open for a while.
 */
const TRIES_ON_WINDOWS = 10;
const TRIES = 3;
const PAUSE_MS = 100;
/** Errors that pass when another program lets go. */
const PASSING = new Set(['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM']);

/** The system that the folder is on; another one in tests. */
interface System {
  readonly platform: NodeJS.Platform;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Removes a folder with its contents, if it exists. Retries by itself, because `rm` retries at each level of folders
 * again: what is in use three levels down would take it minutes.
 * @throws NodeJS.ErrnoException
 */
export async function removeFolder(
  folder: string,
  { platform, pause }: System = { platform: process.platform, pause: sleep },
): Promise<void> {
  const tries = platform === 'win32' ? TRIES_ON_WINDOWS : TRIES;
  for (let tried = 1; ; tried++) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (tried > tries || !PASSING.has(fileSystemCode(error) ?? '')) throw error;
      await pause(tried * PAUSE_MS);
    }
  }
}

/**
 * Removes all items, continuing after a failure.
 * @throws the first error.
 */
export async function removeEach<Item>(
  items: Iterable<Item>,
  remove: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items)
    await remove(item).catch((error: unknown) => {
      failures.push(error);
    });
  if (failures.length > 0) throw failures[0];
}
