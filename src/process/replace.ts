import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Errors on Windows while another program has either file open: a reader, a virus scanner, the indexer. */
const IN_USE = new Set(['EACCES', 'EBUSY', 'EPERM']);
/**
 * Growing pauses, 8 seconds in all: long enough for virus scanners, and short enough to tell the user about a file
 * that stays open.
 */
const PAUSES_MS = [10, 20, 40, 80, 150, 200, 500, 1_000, 1_500, 2_000, 2_500];
/** The pauses for callers that block a whole thread. */
const SHORT_PAUSES_MS = PAUSES_MS.slice(0, 7);

/** The system that the files are on; tests pass another one. */
interface System {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** The file to be replaced is open in another program, or write-protected. */
export class FileInUseError extends Error {
  override readonly name = 'FileInUseError';
  constructor(file: string, cause: Error & { readonly code: string }) {
    super(
      `Could not write ${file}: another program has it open, or it is write-protected (${cause.code}). Close it there, and try again.`,
      { cause },
    );
  }
}

/**
 * Renames a file or folder to the name of another, which it replaces. On Windows, where neither may be open
 * anywhere, it retries for some seconds.
 * @throws FileInUseError, otherwise the error of the file system.
 */
export async function replace(
  from: string,
  to: string,
  system: System = { platform: process.platform, rename, pause: sleep },
): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      if (system.platform !== 'win32' || !isInUse(error)) throw error;
      if (pauseMs === undefined) throw new FileInUseError(to, error);
      await system.pause(pauseMs);
    }
  }
}

/**
 * Replaces a file as `replace` does, and blocks the thread meanwhile, for a second at most.
 * @throws FileInUseError, otherwise the error of the file system.
 */
export function replaceSync(from: string, to: string): void {
  for (const pauseMs of [...SHORT_PAUSES_MS, undefined]) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || !isInUse(error)) throw error;
      if (pauseMs === undefined) throw new FileInUseError(to, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

function isInUse(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && IN_USE.has(error.code)
  );
}
