import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HttpError, invalid } from './errors.ts';

/** Larger than the default 16 KiB, because every chunk is a round trip to a worker thread. */
const DECODED_AT_ONCE = 128 * 1024;

/** The body as it is after `Content-Encoding`; @throws HttpError 415 for an unsupported encoding. */
export function decodeBody(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const decoder = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
    zstd: createZstdDecompress,
  }[encoding];
  if (decoder !== undefined) {
    const stream = decoder({ chunkSize: DECODED_AT_ONCE });
    // Errors are reported by the decoder.
    pipeline(request, stream, () => {});
    return stream;
  }
  if (encoding === 'identity' || encoding === '') return request;
  throw new HttpError(
    415,
    `Content-Encoding '${encoding}' is not supported. Use gzip, zstd, deflate, br or none.`,
  );
}

/** Reads a whole body as text; see `readBytes`. */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  return (await readBytes(request, limit)).toString('utf8');
}

/**
 * Reads a whole body.
 * @param limit bytes after decoding, against zip bombs.
 * @throws HttpError 413 over the limit, 400 when it cannot be decoded.
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  return collect(decodeBody(request), limit);
}

/**
 * With events, because an async iterator is several times slower for small bodies. The request lives as long as its answer,
 * so that its listeners hold nothing of a body that is complete.
 */
function collect(body: Readable, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let waiting: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
  let chunks: Buffer[] = [];
  let size = 0;
  const unreadable = () => {
    const why = 'The body could not be read. It is incomplete or does not match its Content-Encoding.';
    waiting?.reject(new HttpError(400, why));
    waiting = undefined;
  };
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      body.removeAllListeners('data').pause();
      waiting?.reject(tooLarge(limit));
      waiting = undefined;
    } else {
      chunks.push(chunk);
    }
  });
  body.once('end', () => {
    waiting?.resolve(Buffer.concat(chunks));
    waiting = undefined;
    chunks = [];
  });
  body.once('error', unreadable);
  body.once('close', unreadable);
  return promise;
}

/** Reads a JSON body; an empty one is `undefined`. @throws HttpError 422 when it is not valid JSON or too deep. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  // Invalid UTF-8 is refused, because decoding would silently change the text.
  if (!isUtf8(bytes)) throw invalid(['body'], 'The body is not valid UTF-8.', 'utf8');
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  const value = parseBody(text);
  // A level takes two characters at least.
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(MAX_DEPTH, value)) {
    throw invalid(['body'], `The body is nested more than ${MAX_DEPTH} levels deep.`, 'too_deep');
  }
  return value;
}

/** Node and Python can read deeper JSON than they can write, and fail at different depths. */
const MAX_DEPTH = 512;

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(
      ['body'],
      `The body is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
      'json_invalid',
    );
  }
}

function isDeeperThan(limit: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${Math.floor(limit / 1_048_576)} MiB.`, {
    connection: 'close',
  });
}
