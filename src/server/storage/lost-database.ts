import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileSystemCode } from '../../process/error-codes.ts';
import { DataFolderError } from './data-folder-error.ts';
import { WITH_TRACES, wayOutOf } from './start-over.ts';

/**
 * A missing or empty database would be created again silently, and its former contents would be lost for good.
 * Other files in the data folder show that it existed, before a disk failed or a copy missed a file.
 */

/** Files that every server creates after `state.db`. */
const WITH_STATE = ['secrets.key', 'credentials.json', 'traces.db'];
const TOLD = 'This data folder has traces, in traces.db.\n';

export type DatabaseName = 'state.db' | 'traces.db';

/** @throws DataFolderError if the database is missing or its file is empty, although the folder has had one. */
export function refuseLostFile(dataDir: string, name: DatabaseName): void {
  const size = statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size;
  if (size === undefined) refuse(dataDir, name, 'missing');
  else if (size === 0) refuse(dataDir, name, 'empty');
}

/**
 * The database must then be closed, because the files that SQLite keeps next to an open one would be mistaken for those
 * of its replacement.
 * @throws DataFolderError if a database has no tables, for example because its log is missing, although the folder has
 * had some.
 */
export function refuseLostTables(dataDir: string, name: DatabaseName, database: DatabaseSync): void {
  if (hasNoTables(database)) refuse(dataDir, name, 'empty');
}

export function hasNoTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
}

/** Records for later servers that the folder has traces. */
export function rememberTraces(dataDir: string): void {
  try {
    writeFileSync(path.join(dataDir, WITH_TRACES), TOLD, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (fileSystemCode(error) !== 'EEXIST') throw error;
  }
}

function refuse(dataDir: string, name: DatabaseName, how: 'missing' | 'empty'): void {
  const sign = name === 'state.db' ? signOfState(dataDir) : signOfTraces(dataDir);
  if (sign === undefined) return;
  throw new DataFolderError(
    `${path.join(dataDir, name)} is ${how}, although this data folder has been used before: it has ${sign}. ` +
      `Replace ${name} and all files whose names start with it with those of a copy, or ${wayOutOf(dataDir, name)}.`,
  );
}

function signOfState(dataDir: string): string | undefined {
  return WITH_STATE.find((other) => existsSync(path.join(dataDir, other)));
}

function signOfTraces(dataDir: string): string | undefined {
  if (existsSync(path.join(dataDir, WITH_TRACES))) return WITH_TRACES;
  const blobs = path.join(dataDir, 'blobs');
  const kept = existsSync(blobs) ? readdirSync(blobs, { withFileTypes: true, recursive: true }) : [];
  const hasPayload = kept.some((entry) => entry.isFile() && path.basename(entry.parentPath) !== 'staging');
  return hasPayload ? 'payloads of traces in blobs' : undefined;
}
