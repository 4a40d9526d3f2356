import type { ServerResponse } from 'node:http';

/** Ends a response with JSON. */
export function sendJson(response: ServerResponse, status: number, json: string): void {
  // As text it is sent in one chunk with the headers.
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
    .end(json);
}
