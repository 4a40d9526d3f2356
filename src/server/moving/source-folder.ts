import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { DataFolder } from '../data-folder.ts';
import { openingFile } from '../storage/data-folder-error.ts';
import { stateMigrations } from '../storage/state-database.ts';
import { MoveError } from './move-error.ts';
import type { MovedTable } from './moved-tables.ts';
import { type Column, keyColumns, type Row, type Value } from './row.ts';

/** A data folder that is read while no server can use it. Nothing in it is changed. */
export class SourceFolder {
  readonly dataDir: string;
  /** Differs when a server has used the folder in between. */
  readonly fingerprint: string;
  readonly #lock: DataFolder;
  readonly #database: DatabaseSync;

  private constructor(lock: DataFolder, database: DatabaseSync, fingerprint: string) {
    this.dataDir = lock.dir;
    this.#lock = lock;
    this.#database = database;
    this.fingerprint = fingerprint;
  }

  /** @throws MoveError, DataFolderLockedError, DataFolderError */
  static async open(dataDir: string): Promise<SourceFolder> {
    const file = path.join(dataDir, 'state.db');
    if (!existsSync(file))
      throw new MoveError(`${dataDir} is not a data folder: it has no state.db. Choose one with --data-dir.`);
    const lock = await DataFolder.lockOnly(dataDir);
    try {
      const database = await openingFile(file, () => openUnchanged(file));
      refuseOlder(dataDir, database);
      return new SourceFolder(lock, database, fingerprintOf(file));
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  columns(table: MovedTable): Column[] {
    return this.#database
      .prepare('select name, pk from pragma_table_info(?) order by cid')
      .all(table)
      .map(({ name, pk }) => ({ name: String(name), keyPlace: Number(pk) }));
  }

  count(table: MovedTable): number {
    return Number(this.#database.prepare(`select count(*) as rows from "${table}"`).get()?.rows);
  }

  /**
   * The rows of a table by primary key.
   * @param after the key behind which they begin; undefined for all.
   */
  *rows(table: MovedTable, after?: readonly Value[]): IterableIterator<Row> {
    const key = keyColumns(this.columns(table)).map((name) => `"${name}"`);
    const behind = after === undefined ? '' : `where (${key.join()}) > (${key.map(() => '?').join()})`;
    const select = this.#database.prepare(`select * from "${table}" ${behind} order by ${key.join()}`);
    // Larger numbers than JavaScript's are read as they are.
    select.setReadBigInts(true);
    yield* select.iterate(...(after ?? []));
  }

  /** How many of a column's values there are. */
  countValues(table: MovedTable, column: string): number {
    return Number(this.#database.prepare(`select count("${column}") as those from "${table}"`).get()?.those);
  }

  close(): void {
    this.#database.close();
    this.#lock.close();
  }
}

/** Without a log, SQLite is told that nobody writes, or it would make one; with one, it reads both. */
function openUnchanged(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (sizeOf(`${file}-wal`) === 0) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

function refuseOlder(dataDir: string, database: DatabaseSync): void {
  const applied = database.prepare('select name from migrations order by name').all();
  const known = Object.keys(stateMigrations).sort();
  if (
    !isDeepStrictEqual(
      applied.map(({ name }) => name),
      known,
    )
  )
    throw new MoveError(
      `${dataDir} was last used by another version of Agent Harbor. Start this version's server on it once (agent-harbor serve --data-dir), stop it, and move again.`,
    );
}

function fingerprintOf(file: string): string {
  return [file, `${file}-wal`]
    .map((name) => (sizeOf(name) === 0 ? '-' : `${sizeOf(name)}:${statSync(name).mtimeMs}`))
    .join(' ');
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
