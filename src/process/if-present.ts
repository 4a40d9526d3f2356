import { fileSystemCode } from './error-codes.ts';

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Reads at a path; `undefined` when nothing is there.
 * @throws NodeJS.ErrnoException when something is there that cannot be read
 */
export async function ifPresent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (ABSENT.has(fileSystemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Reads at a path; `undefined` when nothing is there or this user may not read it. For optional places, where both
 * mean the same.
 */
export function ifReadable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  return reading.catch(() => undefined);
}
