import type { ServerResponse } from 'node:http';
import type { Endpoint } from '../../contract/endpoint.ts';
import { PendingReply, Reply, toJson } from './reply.ts';
import { sendJson } from './send-json.ts';

const KEEP_ALIVE_MS = 1_000;

/**
 * Sends the return value of a handler: a value, a reply with headers and status, or one that is still
 * pending.
 */
export async function sendResponse(
  response: ServerResponse,
  result: unknown,
  endpoint: Extract<Endpoint, { kind: 'json' | 'multipart' }>,
): Promise<void> {
  if (result instanceof PendingReply) return sendPending(response, result);
  const reply = result instanceof Reply ? result : new Reply(result);
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  const chosen = reply.status ?? successStatus(endpoint);
  if (reply.value === undefined) response.writeHead(chosen).end();
  else sendJson(response, chosen, toJson(reply.value));
}

async function sendPending(response: ServerResponse, pending: PendingReply): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', ...pending.headers });
  response.flushHeaders();
  const alive = setInterval(() => response.write('\n'), KEEP_ALIVE_MS);
  try {
    response.end(toJson(await pending.value));
  } finally {
    clearInterval(alive);
  }
}

/** The status of a response that does not specify one. */
export function successStatus(endpoint: Extract<Endpoint, { kind: 'json' | 'multipart' }>): number {
  return Number(Object.keys(endpoint.responses)[0] ?? 200);
}
