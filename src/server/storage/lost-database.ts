import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileSystemCode } from '../../process/error-codes.ts';
import { DataFolderError } from './data-folder-error.ts';
import { WITH_TRACES, wayOutOf } from './start-over.ts';

/**
 * A database that is missing or empty would be made anew without a word, and everything in it would be gone with the next
 * write. What else is in the data folder tells that it was there: a disk that failed, or a copy that missed a file.
 */

/** Made after `state.db`, by every server that has one. */
const WITH_STATE = ['secrets.key', 'credentials.json', 'traces.db'];
const TOLD = 'This data folder has traces, in traces.db.\n';

export type DatabaseName = 'state.db' | 'traces.db';

/** @throws DataFolderError when there is no such database, or nothing in its file, though the folder has had one. */
export function refuseLostFile(dataDir: string, name: DatabaseName): void {
  const size = statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size;
  if (size === undefined) refuse(dataDir, name, 'missing');
  else if (size === 0) refuse(dataDir, name, 'empty');
}

/**
 * The database is to be closed then: the files that SQLite keeps beside an open one would be taken for those of the copy
 * that takes its place.
 * @throws DataFolderError when a database has no tables, as without its log, though the folder has had some.
 */
export function refuseLostTables(dataDir: string, name: DatabaseName, database: DatabaseSync): void {
  if (hasNoTables(database)) refuse(dataDir, name, 'empty');
}

export function hasNoTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
}

/** Has a later server know that the folder has traces. */
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
      `Replace ${name} and all files whose names start with it by those of a copy, or ${wayOutOf(dataDir, name)}.`,
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
