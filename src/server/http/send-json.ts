import type { ServerResponse } from 'node:http';

/** Sends JSON, and ends the response. */
export function sendJson(response: ServerResponse, status: number, json: string): void {
  // `end` sends text in one chunk with the headers.
  writeJsonHead(response, status, json).end(json);
}

/** Sends the complete JSON of a response, without ending the response. */
export function writeJson(response: ServerResponse, status: number, json: string): void {
  writeJsonHead(response, status, json).write(json);
}

function writeJsonHead(response: ServerResponse, status: number, json: string): ServerResponse {
  return response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  });
}
