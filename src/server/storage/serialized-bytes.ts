/** Bytes of a serializer, where others store text. Databases without columns of both keep them as text. */
export class SerializedBytes extends Uint8Array {}

/** Begins text that stands for bytes. */
const MARK = '\u0001';

/** Whether a text of a database's would be taken for bytes. */
export function standsForBytes(text: string): boolean {
  return text.startsWith(MARK);
}

/** Bytes as the text of a column that otherwise has a serializer's text. */
export function bytesAsText(bytes: SerializedBytes): string {
  return `${MARK}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}

/** The base64 of the bytes that a text stands for. */
export function base64In(text: string): string {
  return text.slice(MARK.length);
}
