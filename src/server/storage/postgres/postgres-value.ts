import { bytesAsText, SerializedBytes } from '../serialized-bytes.ts';

/** A value as PostgreSQL takes it: flags are numbers, as in SQLite. */
export function toPostgres(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof SerializedBytes) return bytesAsText(value);
  return value;
}
