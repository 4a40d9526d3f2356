/** Text, or bytes in base64. */
export interface BodyText {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
}

/** The pieces of a body: either all as text, or all in base64. */
export interface BodyChunks {
  encoding: 'utf8' | 'base64';
  chunks: string[];
}

/** Bytes as text, or in base64 when they are not UTF-8. */
export function toBody(bytes: Uint8Array): BodyText {
  const data = textOf(bytes);
  return data === undefined
    ? { encoding: 'base64', data: Buffer.from(bytes).toString('base64') }
    : { encoding: 'utf8', data };
}

/** The pieces of a body, in base64 as soon as one of them is not UTF-8. */
export function toChunks(pieces: readonly Uint8Array[]): BodyChunks {
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

/** The original pieces. */
export function fromChunks({ encoding, chunks }: Readonly<BodyChunks>): Buffer[] {
  return chunks.map((chunk) => Buffer.from(chunk, encoding));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
