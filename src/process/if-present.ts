import { fileSystemCode } from './error-codes.ts';

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * The result of reading a path; `undefined` when nothing exists there.
 * @throws NodeJS.ErrnoException when there is something that cannot be read.
 */
export async function ifPresent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (ABSENT.has(fileSystemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The result of reading a path; `undefined` when it cannot be read, for whatever reason. For optional files. */
export function ifReadable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  return reading.catch(() => undefined);
}
