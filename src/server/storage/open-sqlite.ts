import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { containsJson } from './contains-json.ts';
import { cosine } from './vectors.ts';

/** Opens a database file for writing, with the settings of all databases of the server. */
export function openSqlite(file: string): DatabaseSync {
  // The file is readable only by its owner, and SQLite makes its companion files as private as the file itself.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  try {
    // NORMAL loses nothing when a process dies; FULL would also survive a power cut, at seven times the cost per
    // commit. auto_vacuum comes first, because it only takes effect while the file is still empty, and WAL already
    // writes to it.
    database.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -16000;
      PRAGMA temp_store = MEMORY;
    `);
  } catch (error) {
    // On Windows, an open file cannot be replaced.
    database.close();
    throw error;
  }
  return withFunctions(database);
}

/** Opens a database file for reading, while another thread of this process writes it. */
export function openSqliteReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  database.exec('PRAGMA temp_store = MEMORY');
  return withFunctions(database);
}

/** Adds the functions that `dialect-expressions.ts` uses and SQLite lacks. */
function withFunctions(database: DatabaseSync): DatabaseSync {
  database.function('json_contains', { deterministic: true }, (document, pattern) =>
    typeof document === 'string' &&
    typeof pattern === 'string' &&
    // A row that was damaged later matches nothing, and must not make queries of other rows fail.
    containsJson(jsonOrUndefined(document), JSON.parse(pattern))
      ? 1
      : 0,
  );
  database.function('cosine', { deterministic: true }, (a, b) => cosine(a, b));
  return database;
}
