import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/** What is there of a body that was cut off is decompressed, too. */
const partly = { finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, partly),
  deflate: (bytes) => inflateSync(bytes, partly),
  br: (bytes) => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * @param encoding of the header `content-encoding`
 * @returns undefined when it is not known, or the bytes are not compressed with it
 */
export function decompress(bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  try {
    return DECODERS[encoding.toLowerCase()]?.(bytes);
  } catch {
    return undefined;
  }
}
