import type { DatabaseSync } from 'node:sqlite';
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
import { toSql } from './sql-value.ts';
import { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

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
