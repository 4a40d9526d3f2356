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
  /** How the host's name is resolved; as always when absent. */
  readonly lookup: LookupFunction | undefined;
}

/**
 * Posts JSON over a connection of its own, and does not follow redirects.
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
    // A connection that is used again would have been made for a name as it resolved earlier.
    agent: false,
    signal,
    ...(lookup === undefined ? {} : { lookup }),
  });
  // A break once the answer has begun changes nothing.
  sending.on('error', () => {});
  sending.end(body);
  const [response]: IncomingMessage[] = await once(sending, 'response', { signal });
  sending.destroy();
  return response?.statusCode ?? 0;
}
