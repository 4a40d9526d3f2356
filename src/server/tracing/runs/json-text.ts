import { isUtf8 } from 'node:buffer';
import { RunRefused } from './refusal.ts';

/** The maximum nesting depth, which no client reaches; deeper values would overflow the stack. */
const MAX_DEPTH = 512;

/**
 * Parses JSON from a client. @param what the name of the value for errors, such as `outputs`.
 * @throws RunRefused for invalid UTF-8, invalid JSON, and excessive nesting.
 */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  if (!isUtf8(bytes)) throw new RunRefused(`${what} is not valid UTF-8`, { type: 'utf8' });
  // A complete text needs at least two bytes per level; `JSON.parse` reports a truncated one.
  if (bytes.length > 2 * MAX_DEPTH && isTooDeep(bytes)) {
    throw new RunRefused(`${what} is nested deeper than ${MAX_DEPTH} levels`, { type: 'json_depth' });
  }
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw new RunRefused(`${what} is not valid JSON: ${reason}`, { type: 'json_invalid' });
  }
}

/** @returns the parsed value; `undefined` for JSON that `parseJson` refuses. */
export function parsedOrUndefined(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, 'it');
  } catch (error) {
    if (error instanceof RunRefused) return undefined;
    throw error;
  }
}

/** Whether brackets outside of strings are nested too deeply; the text need not be valid JSON. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

/** The length from which the end of a string is searched for rather than scanned. */
const LONG_STRING = 64;

/** @returns the position of the quote that ends the string beginning at `start`; the end of the text if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  const near = Math.min(bytes.length, start + LONG_STRING);
  let at = start + 1;
  for (; at < near; at++) {
    if (bytes[at] === 0x5c) at++;
    else if (bytes[at] === 0x22) return at;
  }
  for (;;) {
    const quote = bytes.indexOf(0x22, at);
    if (quote < 0) return bytes.length;
    let first = quote;
    while (first > at && bytes[first - 1] === 0x5c) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}
