import path from 'node:path';
import { Kysely } from 'kysely';
import { openingFile } from '../../storage/data-folder-error.ts';
import { migrate } from '../../storage/migrate.ts';
import { NodeSqliteDialect, openSqlite, openSqliteReader } from '../../storage/node-sqlite-dialect.ts';
import { checkpointWhenQuiet } from '../../storage/quiet-checkpoint.ts';
import { SyncDatabase } from '../../storage/sync-database.ts';
import { foundation } from './migrations/traces-0001-foundation.ts';
import { datasets } from './migrations/traces-0002-datasets.ts';
import { sharing } from './migrations/traces-0003-sharing.ts';
import { purgeProof } from './migrations/traces-0004-purge-proof.ts';
import { sharedExperiments } from './migrations/traces-0005-shared-experiments.ts';
import { labelTypes } from './migrations/traces-0006-label-types.ts';
import type { TracesSchema } from './traces-schema.ts';

/** Every migration of `traces.db`, in order; a released one is never changed. */
export const tracesMigrations = {
  '0001-foundation': foundation,
  '0002-datasets': datasets,
  '0003-sharing': sharing,
  '0004-purge-proof': purgeProof,
  '0005-shared-experiments': sharedExperiments,
  '0006-label-types': labelTypes,
};

/** `traces.db`, in a thread of its own where waiting for the disk delays nothing else. */
export type TracesDatabase = SyncDatabase<TracesSchema>;

/**
 * Opens `traces.db` of a data folder at the newest schema.
 * @param version of this program.
 * @throws DataFolderError
 */
export function openTracesDatabase(dataDir: string, version?: string): Promise<TracesDatabase> {
  const file = path.join(dataDir, 'traces.db');
  return openingFile(file, async () => {
    const sqlite = openSqlite(file);
    // Pages that are written again and again between two checkpoints reach the file once: by default it would be every
    // 4 MB of the log, with two syncs each.
    sqlite.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -64000');
    const db = new Kysely<TracesSchema>({ dialect: new NodeSqliteDialect(sqlite) });
    await migrate(db, {
      migrations: tracesMigrations,
      database: sqlite,
      name: 'traces',
      backups: path.join(dataDir, 'backups'),
      version,
    });
    checkpointWhenQuiet(sqlite);
    return new SyncDatabase(sqlite);
  });
}

/**
 * Opens `traces.db` for reading, after its writer has migrated it to the newest schema. To open it as its writer does would
 * take the lock of those who write (`auto_vacuum` is set in a transaction), which a busy one keeps from us for long.
 * @throws SQLite's error when the file cannot be opened.
 */
export function openTracesReader(dataDir: string): TracesDatabase {
  const sqlite = openSqliteReader(path.join(dataDir, 'traces.db'));
  sqlite.exec('PRAGMA cache_size = -64000');
  return new SyncDatabase(sqlite);
}
