import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

const MAX_WAIT_MS = 30_000;

/**
 * Ends a response when the rest of the request's body has arrived, which is thrown away, or after half a minute. Closing a
 * connection on which something still arrives resets it: clients that send everything first, and all on Windows, then lose
 * the answer. So it has to be written, with its length, before.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => response.end(), MAX_WAIT_MS).unref();
  finished(request, { writable: false }, () => {
    clearTimeout(timer);
    response.end();
  });
  // A decoder may still hold it back.
  request.unpipe().resume();
}
