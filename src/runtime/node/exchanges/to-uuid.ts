import type { UUID } from 'node:crypto';

/** Formats 16 random bytes as a UUID of version 4, and sets the bits of its version in them. */
export function toUuid(bytes: Buffer): UUID {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
