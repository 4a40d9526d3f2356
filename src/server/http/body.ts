import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { finished, Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzipSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { isDeeperThan, MAX_JSON_DEPTH } from '../../process/is-deeper-than.ts';
import { HttpError, invalid } from './errors.ts';

/**
 * The size of decoded chunks: larger than the default of 16 KiB, because every chunk takes a round trip to a worker
 * thread.
 */
const DECODED_AT_ONCE = 128 * 1024;

/**
 * A body that decodes to no more than this is decoded on the spot, because a round trip to another thread takes
 * longer.
 */
const SMALL_BYTES = 64 * 1024;
const SMALL_DECODED_BYTES = 1024 * 1024;

/** How a `Content-Encoding` is decoded: as the body arrives, or all at once. */
interface Coding {
  readonly stream: (options: { chunkSize: number }) => Transform;
  readonly whole: (bytes: Uint8Array, options: { chunkSize: number; maxOutputLength: number }) => Buffer;
}

const gzip: Coding = { stream: createGunzip, whole: gunzipSync };
const CODINGS = new Map<string, Coding>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { stream: createInflate, whole: inflateSync }],
  ['br', { stream: createBrotliDecompress, whole: brotliDecompressSync }],
  ['zstd', { stream: createZstdDecompress, whole: zstdDecompressSync }],
]);

/** @returns undefined for none; @throws HttpError 415 for one that is not supported. */
function codingOf(request: IncomingMessage): Coding | undefined {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const coding = CODINGS.get(encoding);
  if (coding !== undefined || encoding === 'identity' || encoding === '') return coding;
  throw new HttpError(
    415,
    `Content-Encoding '${encoding}' is not supported. Use gzip, zstd, deflate, br or none.`,
  );
}

/** The decoded body; @throws HttpError 415 for an unsupported encoding. */
function decodeBody(request: IncomingMessage): Readable {
  const coding = codingOf(request);
  if (coding === undefined) return request;
  const stream = coding.stream({ chunkSize: DECODED_AT_ONCE });
  // Not with `pipeline`, which would destroy the request: if its body is not decoded to its end, the rest must still
  // arrive.
  request.pipe(stream);
  finished(request, { writable: false }, (error) => {
    if (error) stream.destroy(error);
  });
  return stream;
}

/**
 * The pieces of the decoded body. Reading them throws for a body that is incomplete or encoded differently.
 * @throws HttpError 415 for an unsupported encoding.
 */
export function decodePieces(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const coding = codingOf(request);
  const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return coding === undefined || declared > SMALL_BYTES
    ? decodeBody(request)
    : decodeSmall(coding, collect(request, SMALL_BYTES));
}

async function* decodeSmall(coding: Coding, body: Promise<Buffer>): AsyncGenerator<Uint8Array> {
  const bytes = await body;
  const whole = decodeWhole(coding, bytes);
  if (whole === undefined) yield* coding.stream({ chunkSize: DECODED_AT_ONCE }).end(bytes);
  else yield whole;
}

/** @returns undefined when the body is not small. */
function decodeWhole(coding: Coding, bytes: Buffer): Buffer | undefined {
  try {
    return coding.whole(bytes, { chunkSize: DECODED_AT_ONCE, maxOutputLength: SMALL_DECODED_BYTES });
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return;
    throw error;
  }
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
 * Collects a body with events, because an async iterator is several times slower for small bodies. The request lives as
 * long as its response, so its listeners must not keep a completed body in memory.
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
      if (body instanceof Transform) body.destroy();
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
  // Each level needs at least two characters.
  if (text.length > 2 * MAX_JSON_DEPTH && isDeeperThan(MAX_JSON_DEPTH, value)) {
    throw invalid(['body'], `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`, 'too_deep');
  }
  return value;
}

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

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${Math.floor(limit / 1_048_576)} MiB.`, {
    connection: 'close',
  });
}
