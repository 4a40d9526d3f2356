import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { ExchangeResponse } from '../../protocol/protocol.ts';
import { toChunks } from './body-text.ts';

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

const OF_THE_ENCODED: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** A body as it was before it was compressed: secrets in it would not be found. */
export function toPlain(
  headers: [string, string][],
  pieces: readonly Uint8Array[],
): Pick<ExchangeResponse, 'headers' | 'encoding' | 'chunks'> {
  const encoding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  const decode = DECODERS[encoding?.toLowerCase() ?? ''];
  if (decode === undefined || pieces.length === 0) return { headers, ...toChunks(pieces) };
  try {
    const plain = decode(Buffer.concat(pieces));
    return {
      headers: headers.filter(([name]) => !OF_THE_ENCODED.has(name.toLowerCase())),
      ...toChunks([plain]),
    };
  } catch {
    // It was cut off, or had been decoded by its reader, as `fetch` does it.
    return { headers, ...toChunks(pieces) };
  }
}
