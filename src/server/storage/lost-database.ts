import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileSystemCode } from '../../process/error-codes.ts';
import { DataFolderError } from './data-folder-error.ts';
import { howToStartOver, WITH_TRACES } from './start-over.ts';

// A lost database must not be created again as an empty one: the user would not notice the loss. Other files in the data
// folder show that it existed before a disk failed or a copy missed a file.

/** Files that a server creates only after `state.db`. */
const WITH_STATE = ['secrets.key', 'credentials.json', 'traces.db'];
const MARKER_TEXT = 'This data folder has traces, in traces.db.\n';

type DatabaseName = 'state.db' | 'traces.db';

/**
 * Checks the file of a database before it is opened.
 * @throws DataFolderError if the file is missing or empty, although the folder has had the database.
 */
export function refuseLostFile(dataDir: string, name: DatabaseName): void {
  const size = statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size;
  if (size === undefined) refuseIfUsed(dataDir, name, 'missing');
  else if (size === 0) refuseIfUsed(dataDir, name, 'empty');
}

/**
 * Checks the tables of an open database. After an error, the caller must close the database, because the
 * user may replace its files.
 * @throws DataFolderError if it has no tables, for example because its write-ahead log is missing, although
 * the folder has had the database.
 */
export function refuseLostTables(dataDir: string, name: DatabaseName, database: DatabaseSync): void {
  if (hasNoTables(database)) refuseIfUsed(dataDir, name, 'empty');
}

/** Whether a database has no tables, as when it has just been created. */
export function hasNoTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
}

/** Records for later servers that the folder has traces. */
export function rememberTraces(dataDir: string): void {
  try {
    writeFileSync(path.join(dataDir, WITH_TRACES), MARKER_TEXT, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (fileSystemCode(error) !== 'EEXIST') throw error;
  }
}

/** @throws DataFolderError if other files show that the database existed. */
function refuseIfUsed(dataDir: string, name: DatabaseName, how: 'missing' | 'empty'): void {
  const evidence = name === 'state.db' ? evidenceOfState(dataDir) : evidenceOfTraces(dataDir);
  if (evidence === undefined) return;
  throw new DataFolderError(
    `${path.join(dataDir, name)} is ${how}, although this data folder has been used before: it has ${evidence}. ` +
      `Replace ${name} and all files whose names start with it with those of a copy, or ${howToStartOver(dataDir, name)}.`,
  );
}

/** The name of a file that shows that the folder has had `state.db`. */
function evidenceOfState(dataDir: string): string | undefined {
  return WITH_STATE.find((other) => existsSync(path.join(dataDir, other)));
}

/** Words for a file that shows that the folder has had `traces.db`. */
function evidenceOfTraces(dataDir: string): string | undefined {
  if (existsSync(path.join(dataDir, WITH_TRACES))) return WITH_TRACES;
  const blobs = path.join(dataDir, 'blobs');
  const kept = existsSync(blobs) ? readdirSync(blobs, { withFileTypes: true, recursive: true }) : [];
  const hasPayload = kept.some((entry) => entry.isFile() && path.basename(entry.parentPath) !== 'staging');
  return hasPayload ? 'payloads of traces in blobs' : undefined;
}
