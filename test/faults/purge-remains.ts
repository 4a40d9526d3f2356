import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { fileSystemCode } from '../../src/process/error-codes.ts';

/** The first bytes of payloads and waiting data that are compressed. */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Every planted string begins at most this far from the beginning of its data. */
const MAX_UNPACKED = 8 * 1024 * 1024;

/** The given words that occur in some bytes, uncompressed or in compressed parts. */
export function wordsIn(bytes: Buffer, words: readonly string[]): string[] {
  const found = new Set(words.filter((word) => bytes.includes(word)));
  for (let at = bytes.indexOf(ZSTD_MAGIC); at >= 0; at = bytes.indexOf(ZSTD_MAGIC, at + 1)) {
    const text = unpacked(bytes.subarray(at));
    for (const word of words) if (text?.includes(word)) found.add(word);
  }
  return [...found];
}

/** The content of a frame that begins here; undefined for bytes that only look like one. */
function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_UNPACKED, finishFlush: constants.ZSTD_e_flush });
  } catch {
    return undefined;
  }
}

/** The places of words in the files of a folder. */
export function wordsInFiles(folder: string, words: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const here = wordsIn(readIfThere(file), words);
    if (here.length > 0) found[path.relative(folder, file)] = here;
  }
  return found;
}

/** A request that ends meanwhile removes its files. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (fileSystemCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/**
 * The words in the rows of a data folder's traces. Reading rows, not the bytes of files, also finds words in compressed
 * frames that span several pages.
 */
export function wordsInTraces(dataDir: string, words: readonly string[]): Record<string, string[]> {
  const database = new DatabaseSync(path.join(dataDir, 'traces.db'), { readOnly: true });
  try {
    const tables = database
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
      .all();
    const rows = tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${String(name)}"`)
        .all()
        .map((row) => ({ table: String(name), values: Object.values(row) })),
    );
    return wordsInRows(rows, words);
  } finally {
    database.close();
  }
}

/**
 * The places of words in the rows of a PostgreSQL database, in every schema, and in its planner statistics.
 */
export async function wordsInPostgres(
  url: string,
  words: readonly string[],
): Promise<Record<string, string[]>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows: { table: string; values: unknown[] }[] = [];
    for (const { name } of tables) {
      const { rows: found } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      rows.push(...found.map((row) => ({ table: name, values: Object.values(row) })));
    }
    const { rows: statistics } = await client.query<{ column: string; values: string[] }>(
      `SELECT tablename || '.' || attname AS column,
         ARRAY[most_common_vals::text, histogram_bounds::text, most_common_elems::text] AS values
       FROM pg_stats WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    rows.push(...statistics.map(({ column, values }) => ({ table: `statistics of ${column}`, values })));
    return wordsInRows(rows, words);
  } finally {
    await client.end();
  }
}

function wordsInRows(
  rows: readonly { readonly table: string; readonly values: readonly unknown[] }[],
  words: readonly string[],
): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { table, values } of rows) {
    const here = values.flatMap((value) => {
      if (value instanceof Uint8Array) return wordsIn(Buffer.from(value), words);
      const text = typeof value === 'string' ? value : JSON.stringify(value ?? '', plain);
      return words.filter((word) => text.includes(word));
    });
    if (here.length > 0) found[table] = [...new Set([...(found[table] ?? []), ...here])];
  }
  return found;
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
