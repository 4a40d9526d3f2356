import { rm } from 'node:fs/promises';

/** With growing pauses 5 seconds in all: on Windows, a program that is being ended has its files open until then. */
const TRIES = 10;

/** Removes a folder with all that is in it, if it is there. @throws NodeJS.ErrnoException */
export function removeFolder(folder: string): Promise<void> {
  const maxRetries = process.platform === 'win32' ? TRIES : 3;
  return rm(folder, { recursive: true, force: true, maxRetries });
}

/**
 * Removes each, also after it failed for one.
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
