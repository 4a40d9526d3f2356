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
import { messageOf } from '../../process/message-of.ts';
import { HttpError, invalid } from './errors.ts';

/**
 * The size of decoded chunks. It is larger than the default of 16 KiB, because every chunk takes a round trip
 * to a worker thread.
 */
const CHUNK_BYTES = 128 * 1024;

/**
 * A body up to these sizes, before and after decoding, is decoded synchronously, because a round trip to
 * another thread takes longer.
 */
const MAX_SYNC_BYTES = 64 * 1024;
const MAX_SYNC_DECODED_BYTES = 1024 * 1024;

/** The two ways to decode a `Content-Encoding`: as the body arrives, or all at once. */
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

/**
 * The decoder for a request's `Content-Encoding`; undefined if its body is not encoded.
 * @throws HttpError 415 for an unsupported encoding.
 */
function codingOf(request: IncomingMessage): Coding | undefined {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const coding = CODINGS.get(encoding);
  if (coding !== undefined || encoding === 'identity' || encoding === '') return coding;
  throw new HttpError(
    415,
    `Content-Encoding '${encoding}' is not supported. Use gzip, zstd, deflate, br or none.`,
  );
}

/** The decoded body. @throws HttpError 415 for an unsupported encoding. */
function decodeBody(request: IncomingMessage): Readable {
  const coding = codingOf(request);
  if (coding === undefined) return request;
  const stream = coding.stream({ chunkSize: CHUNK_BYTES });
  // `pipeline` would also destroy the request, but if its body is not decoded to the end, the rest must
  // still arrive.
  request.pipe(stream);
  finished(request, { writable: false }, (error) => {
    if (error) stream.destroy(error);
  });
  return stream;
}

/**
 * The decoded body, in pieces. Reading them throws if the body is incomplete, or does not match its encoding.
 * @throws HttpError 415 for an unsupported encoding.
 */
export function decodePieces(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const coding = codingOf(request);
  const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return coding === undefined || declared > MAX_SYNC_BYTES
    ? decodeBody(request)
    : decodeSmall(coding, collect(request, MAX_SYNC_BYTES));
}

async function* decodeSmall(coding: Coding, body: Promise<Buffer>): AsyncGenerator<Uint8Array> {
  const bytes = await body;
  const whole = decodeWhole(coding, bytes);
  if (whole === undefined) yield* coding.stream({ chunkSize: CHUNK_BYTES }).end(bytes);
  else yield whole;
}

/** Decodes a body synchronously; undefined if it decodes to more than `MAX_SYNC_DECODED_BYTES`. */
function decodeWhole(coding: Coding, bytes: Buffer): Buffer | undefined {
  try {
    return coding.whole(bytes, { chunkSize: CHUNK_BYTES, maxOutputLength: MAX_SYNC_DECODED_BYTES });
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return;
    throw error;
  }
}

/** Reads a whole body as UTF-8 text, with the limit and errors of `readBytes`. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(request, maxBytes)).toString('utf8');
}

/**
 * Reads a whole body.
 * @param maxBytes the maximum size after decoding, which stops zip bombs.
 * @throws HttpError 413 over the limit, 415 for an unsupported encoding, 400 if the body cannot be decoded.
 */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  requireDeclaredSize(request, maxBytes);
  return collect(decodeBody(request), maxBytes);
}

/**
 * Reads a whole body without decoding it.
 * @throws HttpError 413 over the limit, 400 if the body is incomplete.
 */
export async function readRawBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  requireDeclaredSize(request, maxBytes);
  return collect(request, maxBytes);
}

/** Refuses a body by its Content-Length, before it is read. @throws HttpError 413 over the limit. */
function requireDeclaredSize(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Collects a body with events, because an async iterator is several times slower for small bodies. The
 * request lives as long as its response, so its listeners must not keep a completed body in memory.
 */
function collect(body: Readable, maxBytes: number): Promise<Buffer> {
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
    if (size > maxBytes) {
      body.removeAllListeners('data').pause();
      waiting?.reject(tooLarge(maxBytes));
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

/**
 * Reads a JSON body; undefined if it is empty.
 * @throws HttpError 422 if it is not valid JSON or nested too deeply, and the errors of `readBytes`.
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
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
    throw invalid(['body'], `The body is not valid JSON: ${messageOf(error)}`, 'json_invalid');
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body is larger than ${Math.floor(maxBytes / 1_048_576)} MiB.`, {
    connection: 'close',
  });
}
