import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { replaceSync } from '../../../process/replace.ts';
import { DataFolder, DataFolderLockedError } from '../../data-folder.ts';
import { crashPoint } from '../../storage/crash-point.ts';
import { FolderBlobs } from '../../storage/folder-blobs.ts';
import { openStateDatabase } from '../../storage/sqlite-state.ts';
import { openTracesDatabase } from '../../tracing/database/sqlite-traces.ts';
import { WordIndex } from '../../tracing/database/word-index.ts';
import { TRACES_SCHEMA } from '../traces/traces-tables.ts';
import { columnsIn } from './folder-columns.ts';
import { MoveError } from './move-error.ts';
import { type MovedTable, quoted } from './moved-tables.ts';
import type { Column, Row, Value } from './row.ts';

/** The subfolder in which a workspace is gathered until it is complete. */
const UNFINISHED = 'moving';
/**
 * The files that are moved into the folder at the end. `state.db` comes last: without it, nothing was moved.
 */
const FINISHED = ['blobs', 'traces.db', 'state.db'];
/** Marks the unfinished folder once moving the finished files has begun. */
const FINISHING = 'finishing';
/** Marks a folder that a move is filling. Nothing may be deleted in a folder without this mark. */
const MARKER = 'unfinished-move.txt';
const MARKED =
  'agent-harbor move has not finished filling this folder. Run the same command again, or delete the folder.\n';
/** The files that an interrupted attempt leaves in the folder before the final files are moved into it. */
const LEFT: readonly string[] = [MARKER, UNFINISHED, 'deployments', 'secrets.key'];
const LOCK_FILES = ['server.lock', 'server.lock-journal'];
const SLICE_MS = 1_000;

/** A new data folder, which has no `state.db` until it is complete. */
export class TargetFolder {
  readonly dataDir: string;
  /** The folder in which everything is gathered, laid out as a data folder. */
  readonly unfinished: string;
  readonly #lock: DataFolder;
  readonly #database: DatabaseSync;

  private constructor(lock: DataFolder, database: DatabaseSync) {
    this.dataDir = lock.dir;
    this.unfinished = path.join(lock.dir, UNFINISHED);
    this.#lock = lock;
    this.#database = database;
  }

  /** @throws MoveError when the folder has other contents or is in use, DataFolderError */
  static async open(dataDir: string): Promise<TargetFolder> {
    refuseUsed(dataDir);
    const lock = await lockTarget(dataDir);
    try {
      const unfinished = path.join(dataDir, UNFINISHED);
      if (isMarked(dataDir)) removeLeft(dataDir);
      else writeFileSync(path.join(dataDir, MARKER), MARKED, { flag: 'wx', flush: true });
      mkdirSync(unfinished, { mode: 0o700 });
      await (await openStateDatabase(unfinished)).destroy();
      (await openTracesDatabase(unfinished)).close();
      const database = new DatabaseSync(path.join(unfinished, 'state.db'));
      database.exec('pragma foreign_keys = off');
      database.prepare(`attach database ? as ${TRACES_SCHEMA}`).run(path.join(unfinished, 'traces.db'));
      return new TargetFolder(lock, database);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  columns(table: MovedTable): Column[] {
    return columnsIn(this.#database, table);
  }

  /** Stores rows in one transaction. */
  store(table: MovedTable, rows: readonly Row[], columns: readonly Column[]): void {
    const names = columns.map(({ name }) => `"${name}"`).join();
    const insert = this.#database.prepare(
      `insert into ${quoted(table)} (${names}) values (${columns.map(() => '?').join()})`,
    );
    this.#database.exec('begin');
    for (const row of rows) insert.run(...columns.map(({ name }): Value => row[name] ?? null));
    this.#database.exec('commit');
    crashPoint('move-stored');
  }

  storeBlob(name: string, bytes: Uint8Array): void {
    const file = path.join(this.unfinished, 'blobs', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes, { flush: true });
  }

  /** Continues the row numbers of `AUTOINCREMENT` after the team's last ones, so that none is reused. */
  continueKeys(lastKeys: ReadonlyMap<string, number>): void {
    const known = this.#database.prepare(
      `update ${TRACES_SCHEMA}.sqlite_sequence set seq = ? where name = ?`,
    );
    const unknown = this.#database.prepare(
      `insert into ${TRACES_SCHEMA}.sqlite_sequence (seq, name) values (?, ?)`,
    );
    const autoincrement = this.#database.prepare(
      `select 1 from ${TRACES_SCHEMA}.sqlite_master where name = ? and sql like '%AUTOINCREMENT%'`,
    );
    for (const [table, last] of lastKeys)
      if (autoincrement.get(table) !== undefined && known.run(last, table).changes === 0)
        unknown.run(last, table);
  }

  /** Finishes writing rows, and builds their full-text index. */
  async indexWords(): Promise<void> {
    this.#database.close();
    const traces = await openTracesDatabase(this.unfinished);
    const words = new WordIndex(traces, new FolderBlobs(this.unfinished));
    while (words.advance(SLICE_MS));
    traces.close();
  }

  /** Moves the finished files into the folder, so that servers can use it. */
  finish(): void {
    const { dataDir, unfinished } = this;
    refuseUsed(dataDir);
    writeFileSync(path.join(unfinished, FINISHING), '', { flush: true });
    for (const name of FINISHED) {
      if (!existsSync(path.join(unfinished, name))) continue;
      replaceSync(path.join(unfinished, name), path.join(dataDir, name));
      crashPoint('move-finishing');
    }
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(path.join(dataDir, MARKER));
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    this.#lock.close();
  }
}

/** @throws MoveError when another move fills the folder, DataFolderError */
async function lockTarget(dataDir: string): Promise<DataFolder> {
  try {
    return await DataFolder.open(dataDir);
  } catch (error) {
    if (!(error instanceof DataFolderLockedError)) throw error;
    throw new MoveError(
      `Another move is filling ${dataDir}, or a server uses it. Wait for the other move, or specify a new folder with --data-dir.`,
    );
  }
}

/** @throws MoveError when a folder contains anything but leftovers of an earlier attempt. */
export function refuseUsed(dataDir: string): void {
  const present = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (present.includes('state.db'))
    throw new MoveError(`${dataDir} is already a data folder. Specify a new one with --data-dir.`);
  const expected = [...LOCK_FILES, ...leftIn(dataDir)];
  const other = present.find((name) => !expected.includes(name));
  if (other !== undefined)
    throw new MoveError(
      `${dataDir} is not empty: it contains ${other}. Specify a new folder with --data-dir.`,
    );
}

/** The files that an earlier attempt may have left. */
function leftIn(dataDir: string): readonly string[] {
  if (!isMarked(dataDir)) return [];
  return existsSync(path.join(dataDir, UNFINISHED, FINISHING)) ? [...FINISHED, ...LEFT] : LEFT;
}

function isMarked(dataDir: string): boolean {
  const marker = path.join(dataDir, MARKER);
  return existsSync(marker) && readFileSync(marker, 'utf8') === MARKED;
}

/**
 * Removes what an earlier attempt has gathered and moved. `UNFINISHED` is removed last, because the mark in
 * it says that the other files may be removed. The key of the secrets and the builds stay, to be used again.
 */
function removeLeft(dataDir: string): void {
  const left = leftIn(dataDir);
  for (const name of [...FINISHED, UNFINISHED])
    if (left.includes(name)) rmSync(path.join(dataDir, name), { recursive: true, force: true });
}
