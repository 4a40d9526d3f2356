import type { SerializedValue } from '../../../runtime/protocol/protocol.ts';

/** A serialized value as a row keeps it: text of a serializer that writes text, bytes of one that does not. */
export function toData(value: SerializedValue): string | Uint8Array {
  return value.encoding === 'utf8' ? value.data : Buffer.from(value.data, 'base64');
}

/** What a row keeps, as it goes to the runtime: bytes as base64. */
export function toValue(stored: { type: string; data: string | Uint8Array }): SerializedValue {
  return typeof stored.data === 'string'
    ? { type: stored.type, encoding: 'utf8', data: stored.data }
    : { type: stored.type, encoding: 'base64', data: Buffer.from(stored.data).toString('base64') };
}
