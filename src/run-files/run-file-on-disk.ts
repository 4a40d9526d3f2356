import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readRunFile } from '../replay/read-run-file.ts';
import type { RunFileLine } from '../replay/run-file.ts';
import { writeRunFile } from '../replay/write-run-file.ts';
import { replaceFile } from './replace-file.ts';

/**
 * The lines of a run file on this disk, one in memory at a time.
 * @throws RunFileError, or the error of the file system, while iterating.
 */
export async function* openRunFile(path: string): AsyncGenerator<RunFileLine, void, undefined> {
  const input = createReadStream(path, 'utf8');
  try {
    yield* readRunFile(linesOf(input));
  } finally {
    input.destroy();
  }
}

/** Lines of text as they are read. `for await` on a readline interface does not see errors of its input. */
async function* linesOf(input: ReturnType<typeof createReadStream>): AsyncGenerator<string, void, undefined> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let failure: Error | undefined;
  input.once('error', (error) => {
    failure = error;
    lines.close();
  });
  yield* lines;
  if (failure !== undefined) throw failure;
}

/**
 * Writes a run file. It has its name only when it is complete; what had the name before is replaced then.
 * @throws the error of the file system, or of what makes the lines; an error when the path leads to something else than a file.
 */
export async function saveRunFile(
  path: string,
  lines: AsyncIterable<RunFileLine> | Iterable<RunFileLine>,
): Promise<void> {
  await replaceFile(path, writeRunFile(lines));
}
