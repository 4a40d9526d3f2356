import { bytesAsText, SerializedBytes } from '../../storage/serialized-bytes.ts';
import { storableText } from './storable-text.ts';

/** Converts a value to PostgreSQL's types: flags become numbers, as in SQLite, and text is made storable. */
export function toPostgres(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof SerializedBytes) return bytesAsText(value);
  return value;
}
