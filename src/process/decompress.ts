import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/**
 * The maximum size of a body after decompression: a few kilobytes can expand to more than any memory holds.
 */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

/** A body is larger than `MAX_DECOMPRESSED_BYTES` once it is decompressed. */
export class DecompressedSizeError extends Error {
  override readonly name = 'DecompressedSizeError';
}

/** Options that decompress as much of an incomplete body as possible. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_DECOMPRESSED_BYTES };
const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, LENIENT),
  deflate: (bytes) => inflateSync(bytes, LENIENT),
  br: (bytes) =>
    brotliDecompressSync(bytes, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      maxOutputLength: MAX_DECOMPRESSED_BYTES,
    }),
};

/**
 * Decompresses a body, or as much as possible of an incomplete one.
 * @param encoding the value of the header `content-encoding`.
 * @returns undefined when the encoding is not known, or the bytes are not compressed with it.
 * @throws DecompressedSizeError
 */
export function decompress(bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  try {
    return DECODERS[encoding.toLowerCase()]?.(bytes);
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new DecompressedSizeError(
        `It is larger than ${MAX_DECOMPRESSED_BYTES / 1_048_576} MiB when it is decompressed.`,
      );
    }
    return undefined;
  }
}
