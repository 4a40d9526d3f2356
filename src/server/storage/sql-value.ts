import type { SQLInputValue } from 'node:sqlite';

/** A value in a type that SQLite accepts. @throws TypeError for a value that no column can hold. */
export function toSql(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite cannot store a ${typeof value}.`);
}
