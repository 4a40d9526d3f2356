import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import type { RunPayload } from '../../../contract/tracing/runs.ts';
import { DataFolder, DataFolderLockedError } from '../../data-folder.ts';
import { refuseLostFile } from '../../storage/lost-database.ts';
import { openingFile } from '../../storage/opening-file.ts';
import { stateMigrations } from '../../storage/state-migrations.ts';
import { openTracesDatabase, tracesMigrations } from '../../tracing/database/sqlite-traces.ts';
import { TRACES_SCHEMA } from '../traces/traces-tables.ts';
import { columnsIn } from './folder-columns.ts';
import { MoveError } from './move-error.ts';
import { type MovedTable, quoted } from './moved-tables.ts';
import { type Column, keyColumns, type Row, type Value } from './row.ts';

/** A data folder that is read while no server can use it. It is not changed. */
export class SourceFolder {
  readonly dataDir: string;
  /** A fingerprint that changes when a server uses the folder. */
  readonly fingerprint: string;
  readonly #database: DatabaseSync;
  readonly #cleanup: DisposableStack;

  private constructor(
    { dataDir, database, fingerprint }: { dataDir: string; database: DatabaseSync; fingerprint: string },
    cleanup: DisposableStack,
  ) {
    this.dataDir = dataDir;
    this.fingerprint = fingerprint;
    this.#database = database;
    this.#cleanup = cleanup;
  }

  /** @throws MoveError, DataFolderError */
  static async open(dataDir: string): Promise<SourceFolder> {
    const state = path.join(dataDir, 'state.db');
    const traces = path.join(dataDir, 'traces.db');
    if (!existsSync(state))
      throw new MoveError(`${dataDir} is not a data folder: it has no state.db. Choose one with --data-dir.`);
    using cleanup = new DisposableStack();
    const lock = await lockSource(dataDir);
    cleanup.defer(() => lock.close());
    // The file may be missing, because a server only creates it when there is something to store.
    const attached = existsSync(traces) ? traces : await makeEmptyTraces(dataDir, cleanup);
    const database = await openingFile(state, () => openUnchanged(state));
    cleanup.defer(() => database.close());
    refuseOther(dataDir, database, 'main', stateMigrations);
    await openingFile(attached, () => attachUnchanged(database, attached));
    refuseOther(dataDir, database, TRACES_SCHEMA, tracesMigrations);
    const fingerprint = fingerprintOf([state, traces]);
    return new SourceFolder({ dataDir: lock.dir, database, fingerprint }, cleanup.move());
  }

  columns(table: MovedTable): Column[] {
    return columnsIn(this.#database, table);
  }

  /** The last row number of each table of traces with `AUTOINCREMENT`, which never reuses row numbers. */
  lastKeys(): ReadonlyMap<string, number> {
    const rows = this.#database.prepare(`select name, seq from ${TRACES_SCHEMA}.sqlite_sequence`).all();
    return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]));
  }

  count(table: MovedTable): number {
    return Number(this.#database.prepare(`select count(*) as rows from ${quoted(table)}`).get()?.rows);
  }

  /**
   * The rows of a table in the order of the primary key.
   * @param after the key after which they begin; undefined for all.
   */
  *rows(table: MovedTable, after?: readonly Value[]): IterableIterator<Row> {
    const columns = this.columns(table);
    const names = columns.map(({ name }) => `"${name}"`);
    const key = keyColumns(columns).map((name) => `"${name}"`);
    const where = after === undefined ? '' : `where (${key.join()}) > (${key.map(() => '?').join()})`;
    const select = this.#database.prepare(
      `select ${names.join()} from ${quoted(table)} ${where} order by ${key.join()}`,
    );
    // This reads integers beyond JavaScript's range exactly.
    select.setReadBigInts(true);
    yield* select.iterate(...(after ?? []));
  }

  hasTrace(id: string): boolean {
    return (
      this.#database.prepare(`select 1 from ${TRACES_SCHEMA}.traces where id = ? limit 1`).get(id) !==
      undefined
    );
  }

  /** Counts the values of a column that are not null. */
  countValues(table: MovedTable, column: string): number {
    return Number(
      this.#database.prepare(`select count("${column}") as count from ${quoted(table)}`).get()?.count,
    );
  }

  /** The names of large payloads of a kind. */
  *blobsOf(kind: RunPayload): IterableIterator<string> {
    const select = this.#database.prepare(
      `select json_extract(payloads, ?1) as blob from ${TRACES_SCHEMA}.runs where json_type(payloads, ?1) = 'text'`,
    );
    for (const { blob } of select.iterate(`$.${kind}.blob`)) yield String(blob);
  }

  /** The names of all large payloads, of runs and attachments. */
  *blobNames(): IterableIterator<string> {
    const select = this.#database.prepare(
      `select place.value ->> 'blob' as blob from ${TRACES_SCHEMA}.runs as runs
         cross join json_each(runs.payloads) as place
       where place.type = 'object' and place.value ->> 'blob' is not null
       union all select blob from ${TRACES_SCHEMA}.attachments where blob is not null`,
    );
    for (const { blob } of select.iterate()) yield String(blob);
  }

  /** The payloads that are in blocks and have more bytes than a limit. Each has a block of its own. */
  *payloadsInBlocks(limit: number): IterableIterator<{
    readonly run: number;
    readonly kind: string;
    readonly block: number;
    readonly length: number;
    readonly traceId: string;
    readonly ttlDays: number;
  }> {
    const select = this.#database.prepare(
      `select runs.key as run, place.key as kind, place.value ->> 0 as block, place.value ->> 2 as length,
         traces.id as trace_id, traces.ttl_days
       from ${TRACES_SCHEMA}.runs as runs join ${TRACES_SCHEMA}.traces as traces on traces.key = runs.trace
         cross join json_each(runs.payloads) as place
       where place.type = 'array' and place.value ->> 2 > ?`,
    );
    for (const row of select.iterate(limit))
      yield {
        run: Number(row.run),
        kind: String(row.kind),
        block: Number(row.block),
        length: Number(row.length),
        traceId: String(row.trace_id),
        ttlDays: Number(row.ttl_days),
      };
  }

  /** Reads the bytes of a block. */
  readBlock(key: number): Buffer {
    const row = this.#database
      .prepare(`select data from ${TRACES_SCHEMA}.payload_blocks where key = ?`)
      .get(key);
    return row?.data instanceof Uint8Array ? zstdDecompressSync(row.data) : Buffer.alloc(0);
  }

  close(): void {
    this.#cleanup.dispose();
  }
}

/** Keeps servers from using a folder while it is being read. @throws MoveError if one is using it. */
async function lockSource(dataDir: string): Promise<DataFolder> {
  try {
    return await DataFolder.lockOnly(dataDir);
  } catch (error) {
    if (!(error instanceof DataFolderLockedError)) throw error;
    throw new MoveError(
      `A server is using ${dataDir}, or another move reads it. End serve and dev with Ctrl-C and the server of an editor with agent-harbor stop, and move again.`,
    );
  }
}

/**
 * Creates an empty database in place of a folder's missing traces.
 * @throws DataFolderError if the folder has had traces.
 * @returns the file, which is outside the folder.
 */
async function makeEmptyTraces(dataDir: string, cleanup: DisposableStack): Promise<string> {
  refuseLostFile(dataDir, 'traces.db');
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-harbor-move-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  (await openTracesDatabase(folder)).close();
  return path.join(folder, 'traces.db');
}

function openUnchanged(file: string): DatabaseSync {
  return new DatabaseSync(addressOf(file), { readOnly: true });
}

function attachUnchanged(database: DatabaseSync, file: string): void {
  database.prepare(`attach database ? as ${TRACES_SCHEMA}`).run(addressOf(file).href);
}

/**
 * The address with which SQLite opens a database without changing its folder. A database without a write-ahead
 * log is opened as immutable, because SQLite would otherwise create the log.
 */
function addressOf(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'ro');
  if (sizeOf(`${file}-wal`) === 0) url.searchParams.set('immutable', '1');
  return url;
}

/** @throws MoveError when another version used a database last. */
function refuseOther(
  dataDir: string,
  database: DatabaseSync,
  schema: string,
  migrations: Readonly<Record<string, unknown>>,
): void {
  const applied = database.prepare(`select name from ${schema}.migrations order by name`).all();
  const known = Object.keys(migrations).sort();
  if (
    !isDeepStrictEqual(
      applied.map(({ name }) => name),
      known,
    )
  )
    throw anotherVersion(dataDir);
}

function anotherVersion(dataDir: string): MoveError {
  return new MoveError(
    `${dataDir} was last used by another version of Agent Harbor. Start this version's server on it once (agent-harbor serve --data-dir), stop it, and move again.`,
  );
}

function fingerprintOf(files: readonly string[]): string {
  return files
    .flatMap((file) => [file, `${file}-wal`])
    .map((name) => (sizeOf(name) === 0 ? '-' : `${sizeOf(name)}:${statSync(name).mtimeMs}`))
    .join(' ');
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
