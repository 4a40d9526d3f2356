import { STATUS_CODES } from 'node:http';

/** A response for a client. */
export interface PlayedMessage {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Responses with these status codes have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 304]);

/** A response as the bytes of HTTP/1.1, with the body in its original chunks unless its length is known. */
export async function* messageBytes(
  method: string,
  { status, headers, pieces }: PlayedMessage,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hasBody = method !== 'HEAD' && !WITHOUT_BODY.has(status);
  const isLong = hasBody && !headers.some(([name]) => name.toLowerCase() === 'content-length');
  const kept = headers.filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...kept.map(([name, value]) => `${name}: ${value}`),
    ...(isLong ? ['transfer-encoding: chunked'] : []),
  ];
  yield Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!hasBody) return;
  try {
    for await (const piece of pieces) {
      if (piece.length === 0) continue;
      if (isLong) yield Buffer.from(`${piece.length.toString(16)}\r\n`);
      yield piece;
      if (isLong) yield END_OF_LINE;
    }
  } catch {
    // When no more arrives, the client itself reports that the body broke off.
    return;
  }
  if (isLong) yield LAST_CHUNK;
}

const END_OF_LINE = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
