import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { create, extract } from 'tar';
import { messageOf } from '../../../../process/message-of.ts';
import { replace } from '../../../../process/replace.ts';
import { ignoreRejection } from '../../../../process/settled.ts';
import { BuildError } from '../../../../project/build-error.ts';
import type { FoundSource, SourceContext } from './source.ts';

const MAX_ENTRIES = 100_000;
/** The maximum size of all files together. */
const MAX_BYTES = 2 * 1024 ** 3;
/** The maximum unpacked size, including the header and padding of every entry. */
const MAX_UNPACKED_BYTES = MAX_BYTES + MAX_ENTRIES * 3 * 1024;

/**
 * The source in an uploaded tarball (gzip, or not compressed). The library `tar` skips special files, and entries and
 * links that lead outside; this module limits the unpacked size.
 * @throws BuildError when the file is missing or cannot be read.
 */
export async function tarballSource(file: string, context: SourceContext): Promise<FoundSource> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash, { signal: context.signal });
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new BuildError('The source of this revision has been deleted. Only recent sources are kept.');
    }
    throw new BuildError(`Could not read the uploaded source: ${messageOf(error)}`);
  }
  return {
    key: `tar-${hash.digest('hex')}`,
    commit: null,
    changes: null,
    place: (dir) => unpack(file, dir, context),
    discard: () => Promise.resolve(),
  };
}

/** Packs a folder into a tarball for `tarballSource`. */
export async function packFolder(dir: string, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await create({ file: `${file}.new`, cwd: dir, gzip: true, portable: true }, ['.']);
  await replace(`${file}.new`, file);
}

async function unpack(file: string, dir: string, { signal, log }: SourceContext): Promise<void> {
  await mkdir(dir, { recursive: true });
  let entries = 0;
  let bytes = 0;
  let tooMuch = false;
  const target = extract({
    cwd: dir,
    strict: false,
    preserveOwner: false,
    onwarn: (_code, message) => {
      if (!tooMuch) log('WARNING', `Not included: ${String(message)}`);
    },
    filter: (_path, entry) => {
      entries++;
      bytes += entry.size ?? 0;
      tooMuch ||= entries > MAX_ENTRIES || bytes > MAX_BYTES;
      return !tooMuch && !signal.aborted;
    },
  });
  const unpacked = new Promise<void>((resolve, reject) => {
    target.once('close', resolve);
    target.once('error', reject);
  });
  ignoreRejection(unpacked);
  try {
    let read = 0;
    // The tarball is decompressed here, because the library would unpack a decompression bomb into memory.
    for await (const chunk of await openUncompressed(file)) {
      if (read === 0) requireUncompressed(chunk);
      read += chunk.length;
      tooMuch ||= read > MAX_UNPACKED_BYTES;
      if (tooMuch || signal.aborted) break;
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), unpacked]);
    }
    target.end();
    await unpacked;
  } catch (error) {
    // An incomplete or invalid tarball is reported here; exceeded limits are reported below.
    if (!tooMuch && !signal.aborted) {
      const reason = messageOf(error);
      throw new BuildError(`The uploaded source is not a valid tarball: ${reason}`);
    }
  }
  signal.throwIfAborted();
  if (tooMuch) throw new BuildError('The uploaded source has more than 100,000 files or 2 GiB.');
  if (entries === 0) throw new BuildError('The uploaded source is empty or not a tarball.');
  log('INFO', `Unpacked ${entries} entries.`);
}

/** A tarball's uncompressed bytes. */
export async function openUncompressed(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  const raw = handle.createReadStream({ start: 0 });
  if (compressionOf(buffer) !== 'gzip') return raw;
  const unzipped = createGunzip();
  // The reader of `unzipped` gets the errors.
  ignoreRejection(pipeline(raw, unzipped));
  return unzipped;
}

/** @throws Error for the first bytes of a file that is still compressed. */
function requireUncompressed(head: Uint8Array): void {
  const compression = compressionOf(head);
  if (compression === 'zstd') throw new Error('it is compressed with zstd; use gzip');
  if (compression !== undefined) throw new Error('it is compressed twice');
}

/** Detects the compression by magic bytes. */
function compressionOf(head: Uint8Array): 'gzip' | 'zstd' | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f ? 'zstd' : undefined;
}
