import { storableText } from '../storable-text.ts';

/** Converts a value to the form that the connection's thread expects. */
export function toLink(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'boolean') return Number(value);
  if (value === undefined) return null;
  // If only a part of a buffer were passed, all of the buffer would be copied.
  if (value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength)
    return new Uint8Array(value);
  return value;
}
