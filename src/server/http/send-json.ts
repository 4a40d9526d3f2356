import type { ServerResponse } from 'node:http';

/** Ends a response with JSON. */
export function sendJson(response: ServerResponse, status: number, json: string): void {
  // Text is sent in one chunk with the headers.
  writeJsonHead(response, status, json).end(json);
}

/** Sends all of a response with JSON, without ending it. */
export function writeJson(response: ServerResponse, status: number, json: string): void {
  writeJsonHead(response, status, json).write(json);
}

function writeJsonHead(response: ServerResponse, status: number, json: string): ServerResponse {
  return response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  });
}
