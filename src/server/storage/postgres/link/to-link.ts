/** What no text of PostgreSQL can hold, and what stands for it. */
const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/** A value as it goes to the thread of a connection. */
export function toLink(value: unknown): unknown {
  if (typeof value === 'string') return value.includes(NUL) ? value.replaceAll(NUL, REPLACEMENT) : value;
  if (typeof value === 'boolean') return Number(value);
  if (value === undefined) return null;
  // With a part of a buffer, all of it would be copied.
  if (value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength)
    return new Uint8Array(value);
  return value;
}
