import { createHash } from 'node:crypto';

export type Value = string | number | bigint | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

/** A column of a table being moved. */
export interface Column {
  readonly name: string;
  /** The column's place in the primary key, from 1; 0 if the column is not in the key. */
  readonly keyPlace: number;
}

/** The values of a row's primary key, in its order. */
export function keyOf(row: Row, columns: readonly Column[]): Value[] {
  return keyColumns(columns).map((name) => row[name] ?? null);
}

/** The names of the primary key's columns, in its order. */
export function keyColumns(columns: readonly Column[]): string[] {
  return columns
    .filter(({ keyPlace }) => keyPlace > 0)
    .sort((a, b) => a.keyPlace - b.keyPlace)
    .map(({ name }) => name);
}

/** Counts rows, and computes a hash of all of them in their order. */
export class RowDigest {
  rows = 0;
  readonly #hash = createHash('sha256');

  add(row: Row, columns: readonly Column[]): void {
    this.rows++;
    this.#hash.update(`${JSON.stringify(columns.map(({ name }) => canonical(row[name])))}\n`);
  }

  /** Returns the hash in hexadecimal. No row can be added after that. */
  end(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * Converts a value so that equal values have the same JSON: the databases return integers and bytes as different types,
 * and JSON has no bigint.
 */
function canonical(value: Value | undefined): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (typeof value !== 'bigint') return value;
  const integer = asNumber(value);
  return typeof integer === 'bigint' ? { integer: String(integer) } : integer;
}

/** Reads an integer as PostgreSQL sends it: as a number if it is exact, or else as a bigint. */
export function readInteger(text: string): number | bigint {
  return asNumber(BigInt(text));
}

/** The number of the same value, if there is one. */
function asNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
