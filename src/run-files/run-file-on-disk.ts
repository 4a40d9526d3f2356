import type { Kinds, RunFileLine } from '../replay/run-file.ts';
import { writeRunFile } from '../replay/write-run-file.ts';
import { replaceFile } from './replace-file.ts';
import { scanRunFile } from './scan-run-file.ts';

/**
 * Reads the lines of a run file, with one in memory at a time.
 * @param kinds the kinds of lines to yield; other lines are not parsed. All by default.
 * @throws RunFileError while iterating.
 */
export async function* openRunFile(
  path: string,
  kinds?: Kinds,
): AsyncGenerator<RunFileLine, void, undefined> {
  for await (const { line } of scanRunFile(path, kinds)) {
    if (line !== undefined && (kinds === undefined || kinds.has(line.kind))) yield line;
  }
}

/**
 * Writes a run file. It replaces an existing file only when it is complete.
 * @throws the error of the file system or of `lines`; an error when the path leads to something other than a file.
 */
export async function saveRunFile(
  path: string,
  lines: AsyncIterable<RunFileLine> | Iterable<RunFileLine>,
): Promise<void> {
  await replaceFile(path, writeRunFile(lines));
}
