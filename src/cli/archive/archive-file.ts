import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { ArchiveError, ArchiveLine } from '../../client/thread-archive.ts';

/** Whether a file is compressed, according to its name. */
function isCompressed(file: string): boolean {
  return file.endsWith('.gz');
}

/** Writes an archive as JSON lines, compressed when the file's name ends in `.gz`. */
export async function writeArchive(lines: AsyncIterable<ArchiveLine>, file: string): Promise<void> {
  // Only the user may read a new file, because threads are private.
  const output = createWriteStream(file, { mode: 0o600 });
  if (isCompressed(file)) await pipeline(archiveText(lines), createGzip(), output);
  else await pipeline(archiveText(lines), output);
}

/** The lines of an archive as text, each with a line break. */
export async function* archiveText(lines: AsyncIterable<ArchiveLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/**
 * Reads the lines of an archive one by one.
 * @param file its path, or `-` for standard input
 * @throws ArchiveError while iterating, with the number of the invalid line
 */
export async function* readArchive(
  file: string,
  stdin: Readable,
): AsyncGenerator<ArchiveLine, void, undefined> {
  const plain: Readable = file === '-' ? stdin : createReadStream(file);
  const input = isCompressed(file) ? plain.pipe(createGunzip()) : plain;
  plain.on('error', (error) => input.destroy(error));
  let at = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    at++;
    if (text.trim() === '') continue;
    const line = ArchiveLine.safeParse(parse(text, at));
    if (at === 1 && line.data?.kind !== 'archive') {
      throw new ArchiveError(
        'its first line is not that of a file written by `agent-harbor threads export`.',
      );
    }
    if (!line.success) throw new ArchiveError(`line ${at}: ${z.prettifyError(line.error).split('\n')[0]}`);
    yield line.data;
  }
}

function parse(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArchiveError(`line ${at} is not valid JSON.`);
  }
}
