/** Text, or bytes in base64. */
export interface BodyText {
  readonly encoding: 'utf8' | 'base64';
  readonly data: string;
}

/** The chunks in which a body arrived: either all as text, or all in base64. */
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

/** The chunks of a body as text, or in base64 when any of them is not UTF-8. */
export function toChunks(chunks: readonly Uint8Array[]): BodyChunks {
  const texts: string[] = [];
  for (const chunk of chunks) {
    const text = textOf(chunk);
    if (text === undefined) {
      return { encoding: 'base64', chunks: chunks.map((bytes) => Buffer.from(bytes).toString('base64')) };
    }
    texts.push(text);
  }
  return { encoding: 'utf8', chunks: texts };
}

/** The bytes of the chunks of a body. */
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
