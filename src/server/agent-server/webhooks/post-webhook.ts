import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';

export interface WebhookRequest {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** How the host's name is resolved; by default as usual. */
  readonly lookup: LookupFunction | undefined;
}

/**
 * Posts JSON over a new connection, and does not follow redirects.
 * @returns the status of the answer, the rest of which is not read.
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
    // A reused connection would have been made for an earlier address of the name.
    agent: false,
    signal,
    ...(lookup === undefined ? {} : { lookup }),
  });
  // A connection that breaks once the answer has begun does not matter.
  sending.on('error', () => {});
  sending.end(body);
  const [response]: IncomingMessage[] = await once(sending, 'response', { signal });
  sending.destroy();
  return response?.statusCode ?? 0;
}
