import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

const MAX_WAIT_MS = 30_000;

/**
 * Discards the rest of the request's body, and ends the response when it has arrived, or after half a minute.
 * Closing a connection on which data is still arriving resets it, and then the response is lost to clients
 * that send everything before they read, and to all clients on Windows. The response must already be written,
 * with its length.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => response.end(), MAX_WAIT_MS).unref();
  finished(request, { writable: false }, () => {
    clearTimeout(timer);
    response.end();
  });
  // The request may still be piped to a decoder, which would hold the body back.
  request.unpipe().resume();
}
