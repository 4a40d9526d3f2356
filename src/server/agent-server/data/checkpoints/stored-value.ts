import type { SerializedValue } from '../../../../runtime/protocol/protocol.ts';
import { base64In, SerializedBytes, standsForBytes } from '../../../storage/serialized-bytes.ts';

/** A runtime's serialized value as it is stored: text or bytes, depending on the serializer. */
export function toData({ encoding, data }: SerializedValue): string | Uint8Array {
  if (encoding === 'utf8' && !standsForBytes(data)) return data;
  const { buffer, byteOffset, byteLength } = Buffer.from(data, encoding);
  return new SerializedBytes(buffer, byteOffset, byteLength);
}

/** The reverse of `toData`: a stored value as the runtime reads it, with bytes as base64. */
export function toValue({ type, data }: { type: string; data: string | Uint8Array }): SerializedValue {
  if (typeof data !== 'string')
    return { type, encoding: 'base64', data: Buffer.from(data).toString('base64') };
  return standsForBytes(data)
    ? { type, encoding: 'base64', data: base64In(data) }
    : { type, encoding: 'utf8', data };
}
