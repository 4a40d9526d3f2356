import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryCompiler,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { containsJson } from './contains-json.ts';
import { toSql } from './sql-value.ts';
import { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';
import { cosine } from './vectors.ts';

/** Kysely's dialect for Node's built-in SQLite, which needs no native module. */
export class NodeSqliteDialect implements Dialect {
  readonly #database: SqliteDatabase;
  constructor(database: DatabaseSync) {
    this.#database = new CachingDatabase(database);
  }
  createDriver(): Driver {
    return new ForgivingDriver({ database: this.#database });
  }
  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }
  createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * Ignores failing rollbacks: on a full disk, SQLite has already rolled back, and another rollback would hide the
 * original error.
 */
class ForgivingDriver extends SqliteDriver {
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }
}

/** SQLite can roll back a schema change; with this, Kysely runs each migration in a transaction. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Prepares each statement once. */
class CachingDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #statements: StatementCache<SqliteStatement>;
  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new StatementCache(
      (sql) => new KyselyStatement(new Statement(database.prepare(sql), sql), sql),
    );
  }

  prepare(sql: string): SqliteStatement {
    return this.#statements.get(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

class KyselyStatement implements SqliteStatement {
  readonly #statement: Statement;
  /** Whether the statement returns rows, judging by its SQL, which is Kysely's own and never contains values. */
  readonly reader: boolean;
  constructor(statement: Statement, sql: string) {
    this.#statement = statement;
    this.reader =
      /^\s*(select|pragma|explain|values)\b/i.test(sql) || /\breturning\b/i.test(sql) || isReadingWith(sql);
  }
  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...parameters.map(toSql));
  }
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...parameters.map(toSql));
  }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters.map(toSql));
  }
}

function isReadingWith(sql: string): boolean {
  return /^\s*with\b/i.test(sql) && !/\b(insert into|update|delete from)\b/i.test(sql);
}

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
