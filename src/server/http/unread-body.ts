import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

const MAX_WAIT_MS = 30_000;

/**
 * Ends a response when the rest of the request's body has arrived, which is thrown away, or after half a minute.
 * Closing a connection on which data is still arriving resets it, and clients that send everything first, and all
 * clients on Windows, then lose the response. So the response has to be written before, with its length.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => response.end(), MAX_WAIT_MS).unref();
  finished(request, { writable: false }, () => {
    clearTimeout(timer);
    response.end();
  });
  // A decoder may still be holding it back.
  request.unpipe().resume();
}
