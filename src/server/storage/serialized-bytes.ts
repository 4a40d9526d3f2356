/**
 * Bytes of a serializer, for a column in which other serializers store text. A database whose columns cannot hold both
 * stores the bytes as text.
 */
export class SerializedBytes extends Uint8Array {}

/** The first character of text that represents bytes. */
const MARK = '\u0001';

/** Whether a text represents bytes, or would be mistaken for such a text. */
export function standsForBytes(text: string): boolean {
  return text.startsWith(MARK);
}

/** Bytes as text, for a column that otherwise contains a serializer's text. */
export function bytesAsText(bytes: SerializedBytes): string {
  return `${MARK}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}

/** The base64 of the bytes that a text represents. */
export function base64In(text: string): string {
  return text.slice(MARK.length);
}
