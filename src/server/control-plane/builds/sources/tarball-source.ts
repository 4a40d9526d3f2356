import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import { BuildError } from '../build-error.ts';
import type { FoundSource, SourceContext } from './source.ts';

const MOST_ENTRIES = 100_000;
const MOST_BYTES = 2 * 1024 ** 3;

/**
 * Finds the files of an uploaded tarball (gzip, or not compressed). Entries that lead out of the folder, links out of
 * it and special files are left out by the library; how much may come out of it is bounded here.
 * @throws BuildError
 */
export async function tarballSource(file: string, context: SourceContext): Promise<FoundSource> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash, { signal: context.signal });
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new BuildError(
        'The source of this revision is not kept any more: only that of the latest ones is.',
      );
    }
    throw new BuildError(
      `The uploaded source cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return {
    key: `tar-${hash.digest('hex')}`,
    commit: null,
    place: (dir) => unpack(file, dir, context),
    discard: () => Promise.resolve(),
  };
}

/** Packs a folder as it is into a tarball that `tarballSource` finds it in again. */
export async function archive(dir: string, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await create({ file: `${file}.new`, cwd: dir, gzip: true, portable: true }, ['.']);
  await rename(`${file}.new`, file);
}

async function unpack(file: string, dir: string, { signal, log }: SourceContext): Promise<void> {
  await mkdir(dir, { recursive: true });
  let entries = 0;
  let bytes = 0;
  let tooMuch = false;
  try {
    await extract({
      file,
      cwd: dir,
      strict: false,
      preserveOwner: false,
      onwarn: (_code, message) => log('WARNING', `Left out of the source: ${String(message)}`),
      filter: (_path, entry) => {
        entries++;
        bytes += entry.size ?? 0;
        tooMuch ||= entries > MOST_ENTRIES || bytes > MOST_BYTES;
        return !tooMuch && !signal.aborted;
      },
    });
  } catch (error) {
    throw new BuildError(
      `The uploaded source is no tarball: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  signal.throwIfAborted();
  if (tooMuch) throw new BuildError('The uploaded source holds more than 100,000 files or 2 GiB.');
  if (entries === 0) throw new BuildError('The uploaded source is empty, or no tarball.');
  log('INFO', `Unpacked ${entries} entries.`);
}
