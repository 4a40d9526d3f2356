import { rm } from 'node:fs/promises';

/**
 * Growing pauses of 5 seconds in all: on Windows, a program that is being ended keeps its files open until then.
 */
const TRIES = 10;

/** Removes a folder with its contents, if it exists. @throws NodeJS.ErrnoException */
export function removeFolder(folder: string): Promise<void> {
  const maxRetries = process.platform === 'win32' ? TRIES : 3;
  return rm(folder, { recursive: true, force: true, maxRetries });
}

/**
 * Removes each, even after a failure.
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
