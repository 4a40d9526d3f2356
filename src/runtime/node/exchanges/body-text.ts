import type { ExchangeBody, ExchangeResponse } from '../../protocol/protocol.ts';

/** Bytes as text, or in base64 when they are not UTF-8. */
export function toBody(bytes: Uint8Array): ExchangeBody {
  const data = textOf(bytes);
  return data === undefined
    ? { encoding: 'base64', data: Buffer.from(bytes).toString('base64') }
    : { encoding: 'utf8', data };
}

/** The pieces of a body; all are text, or all in base64. */
export function toChunks(pieces: readonly Uint8Array[]): Pick<ExchangeResponse, 'encoding' | 'chunks'> {
  const texts: string[] = [];
  for (const piece of pieces) {
    const text = textOf(piece);
    if (text === undefined) {
      return { encoding: 'base64', chunks: pieces.map((bytes) => Buffer.from(bytes).toString('base64')) };
    }
    texts.push(text);
  }
  return { encoding: 'utf8', chunks: texts };
}

/** The pieces as they were. */
export function fromChunks({
  encoding,
  chunks,
}: Pick<ExchangeResponse, 'encoding' | 'chunks'>): Uint8Array[] {
  return chunks.map((chunk) => Buffer.from(chunk, encoding));
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
