import path from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { orDamaged } from './damaged-database.ts';
import { migrate } from './migrate.ts';
import { foundation } from './migrations/traces-0001-foundation.ts';
import { datasets } from './migrations/traces-0002-datasets.ts';
import { sharing } from './migrations/traces-0003-sharing.ts';
import { NodeSqliteDialect, openSqlite } from './node-sqlite-dialect.ts';
import type { TracesSchema } from './traces-schema.ts';

/** Every migration of `traces.db`, in order; a released one is never changed. */
const migrations = { '0001-foundation': foundation, '0002-datasets': datasets, '0003-sharing': sharing };

const STATEMENTS_KEPT = 300;

/**
 * `traces.db` in a thread of its own, where waiting for the disk holds up nobody: queries are built with Kysely and run
 * at once, so that a transaction is a plain function that nothing can come between.
 */
export class TracesDatabase {
  readonly sqlite: DatabaseSync;
  /** Builds queries; it runs none itself. */
  readonly build: Kysely<TracesSchema>;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  constructor(sqlite: DatabaseSync) {
    this.sqlite = sqlite;
    this.build = new Kysely<TracesSchema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
  }

  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile();
    return this.statement(sql).all(...parameters.map(toSql)) as Row[];
  }

  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile();
    return this.statement(sql).get(...parameters.map(toSql)) as Row | undefined;
  }

  /** @returns how many rows changed, and the key of the last one inserted. */
  run(query: Compilable<unknown>): { changes: number; key: number } {
    const { sql, parameters } = query.compile();
    const result = this.statement(sql).run(...parameters.map(toSql));
    return { changes: Number(result.changes), key: Number(result.lastInsertRowid) };
  }

  /** A prepared statement, kept for the next time. */
  statement(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_KEPT) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    const statement = this.sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs `work` in a transaction; inside one already begun, in a savepoint of it. */
  transaction<Result>(work: () => Result): Result {
    const [begin, commit, rollback] = this.sqlite.isTransaction
      ? ['SAVEPOINT nested', 'RELEASE nested', 'ROLLBACK TO nested; RELEASE nested']
      : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'];
    this.sqlite.exec(begin);
    try {
      const result = work();
      this.sqlite.exec(commit);
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

/**
 * Opens `traces.db` of a data folder at the newest schema.
 * @throws MigrationError, DamagedDatabaseError, or SQLite's error when the file cannot be opened.
 */
export function openTracesDatabase(dataDir: string): Promise<TracesDatabase> {
  const file = path.join(dataDir, 'traces.db');
  return orDamaged(file, async () => {
    const sqlite = openSqlite(file);
    // Pages that are written again and again between two checkpoints reach the file once: by default it would be every
    // 4 MB of the log, with two syncs each.
    sqlite.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -64000');
    // What a savepoint sets aside in case that one request of several fails stays out of files.
    sqlite.exec('PRAGMA temp_store = MEMORY');
    const db = new Kysely<TracesSchema>({ dialect: new NodeSqliteDialect(sqlite) });
    await migrate(db, {
      migrations,
      database: sqlite,
      name: 'traces',
      backups: path.join(dataDir, 'backups'),
    });
    return new TracesDatabase(sqlite);
  });
}

function toSql(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite cannot store a ${typeof value}.`);
}
