/**
 * Bytes from a serializer in a column where other serializers store text. Databases whose columns cannot hold both keep
 * them as text.
 */
export class SerializedBytes extends Uint8Array {}

/** The beginning of text that represents bytes. */
const MARK = '\u0001';

/** Whether a text in a database would be mistaken for bytes. */
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
