import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { checkpointWhenIdle } from '../../storage/idle-checkpoint.ts';
import { refuseLostFile, rememberTraces } from '../../storage/lost-database.ts';
import { migrate } from '../../storage/migrate.ts';
import { NodeSqliteDialect } from '../../storage/node-sqlite-dialect.ts';
import { openSqlite, openSqliteReader } from '../../storage/open-sqlite.ts';
import { openingFile } from '../../storage/opening-file.ts';
import { SqliteDatabase } from '../../storage/sqlite-database.ts';
import { foundation } from './migrations/traces-0001-foundation.ts';
import { datasets } from './migrations/traces-0002-datasets.ts';
import { sharing } from './migrations/traces-0003-sharing.ts';
import { purgeProof } from './migrations/traces-0004-purge-proof.ts';
import { sharedExperiments } from './migrations/traces-0005-shared-experiments.ts';
import { labelTypes } from './migrations/traces-0006-label-types.ts';
import { refusedSpans } from './migrations/traces-0007-refused-spans.ts';
import { purgedTraces } from './migrations/traces-0008-purged-traces.ts';
import { limitedFeedback } from './migrations/traces-0009-limited-feedback.ts';
import { prices } from './migrations/traces-0010-prices.ts';
import { earlyLogs } from './migrations/traces-0011-early-logs.ts';
import { PageGaps } from './page-gaps.ts';
import { SqliteTextIndex } from './sqlite-text-index.ts';
import type { ReservedKeys, TracesDatabase } from './traces-database.ts';
import type { KeyedTable, TracesSchema } from './traces-schema.ts';

/** Every migration of `traces.db`, in order; a released one is never changed. */
export const tracesMigrations = {
  '0001-foundation': foundation,
  '0002-datasets': datasets,
  '0003-sharing': sharing,
  '0004-purge-proof': purgeProof,
  '0005-shared-experiments': sharedExperiments,
  '0006-label-types': labelTypes,
  '0007-refused-spans': refusedSpans,
  '0008-purged-traces': purgedTraces,
  '0009-limited-feedback': limitedFeedback,
  '0010-prices': prices,
  '0011-early-logs': earlyLogs,
};

/** How many pages one step returns to the file system. */
const PAGES_AT_ONCE = 64;

/** Traces in `traces.db`, which only one server writes. */
export class SqliteTraces extends SqliteDatabase<TracesSchema> implements TracesDatabase {
  readonly textIndex: SqliteTextIndex;
  readonly #gaps: PageGaps | undefined;
  #isOverwriting = false;

  /** @param gaps the gaps in the pages of the database's file; only given for the connection that writes. */
  constructor(sqlite: DatabaseSync, gaps?: PageGaps) {
    super(sqlite);
    this.textIndex = new SqliteTextIndex(this);
    this.#gaps = gaps;
  }

  override close(): void {
    super.close();
    this.#gaps?.close();
  }

  /** Reserves all remaining keys, because no other process assigns any. */
  reserveKeys(tables: readonly KeyedTable[]): ReservedKeys[] {
    const given = this.statement('SELECT seq FROM sqlite_sequence WHERE name = ?');
    return tables.map((table) => ({
      table,
      after: Number(given.get(table)?.seq ?? 0),
      count: Number.POSITIVE_INFINITY,
    }));
  }

  whenOthersWrote(): void {
    // There are no other servers.
  }

  get isMaintainer(): boolean {
    return true;
  }

  /** Removes freed pages from the file, empties the write-ahead log, and overwrites remnants in the other pages. */
  freeSpace(until: number): 'done' | 'begun' {
    do {
      const before = this.#freePages();
      if (before === 0) break;
      this.#isOverwriting = false;
      this.sqlite.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
      if (this.#freePages() >= before) break;
    } while (performance.now() < until);
    if (this.#freePages() > 0) return 'begun';
    const checkpoint = this.sqlite.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    // While a reader is using the log, this has to be retried.
    if (Number(checkpoint?.busy ?? 0) !== 0) return 'begun';
    return this.#overwriteGaps(until) ? 'done' : 'begun';
  }

  /**
   * Overwrites the remnants. It starts when the log is empty: then all pages are in the file, and this thread, the only
   * writer, writes nothing.
   */
  #overwriteGaps(until: number): boolean {
    if (!this.#isOverwriting) this.#gaps?.restart();
    this.#isOverwriting = true;
    const isDone = this.transaction(() => this.#gaps?.overwrite(until) ?? true);
    // The connection's cached pages may be outdated.
    this.sqlite.exec('PRAGMA shrink_memory');
    this.#isOverwriting = !isDone;
    return isDone;
  }

  #freePages(): number {
    return Number(this.sqlite.prepare('PRAGMA freelist_count').get()?.freelist_count ?? 0);
  }
}

/**
 * Opens `traces.db` of a data folder at the newest schema.
 * @param version the version of this program.
 * @throws DataFolderError
 */
export function openTracesDatabase(dataDir: string, version?: string): Promise<SqliteTraces> {
  const file = path.join(dataDir, 'traces.db');
  return openingFile(file, async () => {
    refuseLostFile(dataDir, 'traces.db');
    const sqlite = openSqlite(file);
    // Pages that are written repeatedly between two checkpoints reach the file only once. By default, there would be a
    // checkpoint for every 4 MB of the log, with two syncs each. If another thread merges the log, this limit only
    // applies when that thread cannot.
    sqlite.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA cache_size = -64000');
    const db = new Kysely<TracesSchema>({ dialect: new NodeSqliteDialect(sqlite) });
    try {
      await migrate(db, {
        migrations: tracesMigrations,
        database: sqlite,
        name: 'traces',
        dataDir,
        version,
      });
    } catch (error) {
      // On Windows, an open file can be neither deleted nor replaced.
      sqlite.close();
      throw error;
    }
    rememberTraces(dataDir);
    checkpointWhenIdle(sqlite);
    return new SqliteTraces(sqlite, new PageGaps(file));
  });
}

/**
 * Opens `traces.db` for reading, after its writer has migrated it to the newest schema. Opening it like its writer
 * would take the write lock (`auto_vacuum` is set in a transaction), which a busy writer may hold for a long time.
 * @throws SQLite's error when the file cannot be opened.
 */
export function openTracesReader(dataDir: string): SqliteTraces {
  const sqlite = openSqliteReader(path.join(dataDir, 'traces.db'));
  sqlite.exec('PRAGMA cache_size = -64000');
  return new SqliteTraces(sqlite);
}
