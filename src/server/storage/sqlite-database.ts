import type { DatabaseSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';
import { refuseWaiting, SyncDatabase } from './sync-database.ts';

/** A connection to SQLite. */
export class SqliteDatabase<Schema> extends SyncDatabase<Schema> {
  readonly sqlite: DatabaseSync;
  readonly build: Kysely<Schema>;
  readonly #statements: StatementCache<Statement>;

  constructor(sqlite: DatabaseSync) {
    super();
    this.sqlite = sqlite;
    this.#statements = new StatementCache((sql) => new Statement(sqlite.prepare(sql), sql));
    this.build = new Kysely<Schema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
  }

  statement(sql: string): Statement {
    return this.#statements.get(sql);
  }

  transaction<Result>(work: () => Result): Result {
    const [begin, commit, rollback] = this.sqlite.isTransaction
      ? ['SAVEPOINT nested', 'RELEASE nested', 'ROLLBACK TO nested; RELEASE nested']
      : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'];
    this.statement(begin).run();
    try {
      const result = work();
      refuseWaiting(result);
      this.statement(commit).run();
      return result;
    } catch (error) {
      if (this.sqlite.isTransaction) this.sqlite.exec(rollback);
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.sqlite.close();
  }
}
