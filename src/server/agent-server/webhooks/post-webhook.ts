import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';

export interface WebhookRequest {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** Resolves the host's name; by default, the system does. */
  readonly lookup: LookupFunction | undefined;
}

/**
 * Posts JSON over a new connection, and does not follow redirects.
 * @returns the status of the response; its body is not read.
 * @throws the error of the connection or the signal
 */
export async function postWebhook({
  address,
  headers,
  body,
  signal,
  lookup,
}: WebhookRequest): Promise<number> {
  const { request } = address.protocol === 'https:' ? https : http;
  const sending = request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) },
    // A reused connection could lead to an address that the host's name had earlier.
    agent: false,
    signal,
    ...(lookup === undefined ? {} : { lookup }),
  });
  // `once` throws errors that precede the response. After the response has begun, a broken connection does
  // no harm.
  sending.on('error', () => {});
  sending.end(body);
  const [response]: IncomingMessage[] = await once(sending, 'response', { signal });
  sending.destroy();
  return response?.statusCode ?? 0;
}
