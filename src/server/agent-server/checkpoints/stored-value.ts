import type { SerializedValue } from '../../../runtime/protocol/protocol.ts';

/** A serialized value in a row: text or bytes, depending on the serializer. */
export function toData(value: SerializedValue): string | Uint8Array {
  return value.encoding === 'utf8' ? value.data : Buffer.from(value.data, 'base64');
}

/** A stored value for the runtime: bytes as base64. */
export function toValue(stored: { type: string; data: string | Uint8Array }): SerializedValue {
  return typeof stored.data === 'string'
    ? { type: stored.type, encoding: 'utf8', data: stored.data }
    : { type: stored.type, encoding: 'base64', data: Buffer.from(stored.data).toString('base64') };
}
