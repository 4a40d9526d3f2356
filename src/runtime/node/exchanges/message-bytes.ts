import { STATUS_CODES } from 'node:http';

/** A response for a client. */
export interface PlayedMessage {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Responses with these status codes have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 304]);

/** Writes a response as HTTP/1.1. If it has no content-length, each piece of its body is sent as a chunk. */
export async function* messageBytes(
  method: string,
  { status, headers, pieces }: PlayedMessage,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hasBody = method !== 'HEAD' && !WITHOUT_BODY.has(status);
  const isChunked = hasBody && !headers.some(([name]) => name.toLowerCase() === 'content-length');
  const kept = headers.filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...kept.map(([name, value]) => `${name}: ${value}`),
    ...(isChunked ? ['transfer-encoding: chunked'] : []),
  ];
  yield Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!hasBody) return;
  try {
    for await (const piece of pieces) {
      if (piece.length === 0) continue;
      if (isChunked) yield Buffer.from(`${piece.length.toString(16)}\r\n`);
      yield piece;
      if (isChunked) yield END_OF_LINE;
    }
  } catch {
    // The bytes end early, so the client reports that the body is incomplete.
    return;
  }
  if (isChunked) yield LAST_CHUNK;
}

const END_OF_LINE = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
