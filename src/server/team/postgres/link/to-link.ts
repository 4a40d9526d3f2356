import { storableText } from '../storable-text.ts';

/** A value in the form for the connection's thread. */
export function toLink(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'boolean') return Number(value);
  if (value === undefined) return null;
  // With a part of a buffer, all of it would be copied.
  if (value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength)
    return new Uint8Array(value);
  return value;
}
