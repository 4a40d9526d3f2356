import { Kysely, type Migration, Migrator, sql } from 'kysely';
import { type ClientConfig, DatabaseError } from 'pg';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import type { SessionSettings } from './begin-session.ts';
import { databaseProblem } from './database-problem.ts';
import { LOCK_NOT_AVAILABLE } from './error-kinds.ts';
import { poolOf } from './pool.ts';
import { postgresDialect } from './postgres-dialect.ts';

/**
 * Migrations after which servers that do not know them would misread stored data, such as a copy's history as
 * empty, or a key with few rights as one with all.
 */
const NOT_BESIDE_EARLIER: readonly string[] = ['0009-histories', '0011-key-rights'];

/**
 * Upgrades a database to the newest schema. Several servers may start at once; they wait for each other here.
 * @param schema the schema to create for the tables; by default the connection's own.
 * @param settings the settings of the session, such as the search path.
 * @throws DataFolderError when a newer version has used the database, an earlier version that could not
 * continue is using it, a migration fails, or the database cannot be reached or denies access.
 */
export async function migratePostgres(
  config: ClientConfig,
  migrations: Readonly<Record<string, Migration>>,
  schema?: string,
  settings?: SessionSettings,
): Promise<void> {
  const db = new Kysely<unknown>({ dialect: postgresDialect(poolOf(config, settings)) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await refuseBesideEarlier(db, migrator)
    .then(() => migrator.migrateToLatest())
    .catch((error: unknown) => ({ error }));
  await db.destroy();
  if (error === undefined) return;
  if (error instanceof DataFolderError) throw error;
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message))
    throw new DataFolderError(
      'The database was written by a newer version of Agent Harbor. Update Agent Harbor, or choose another database.',
      { cause: error },
    );
  if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)
    throw new DataFolderError(
      'The database could not be updated to this version, because a table that the update changes is in use, for example by a backup. Nothing was changed. Start this server again when no backup runs.',
      { cause: error, mayPass: true },
    );
  throw databaseProblem(
    error,
    config.connectionString ?? '',
    'The database could not be updated to this version',
  );
}

/** @throws DataFolderError while servers are running that would misread data after a pending migration. */
async function refuseBesideEarlier(db: Kysely<unknown>, migrator: Migrator): Promise<void> {
  const all = await migrator.getMigrations();
  const isPending = all.some(({ name, executedAt }) => !executedAt && NOT_BESIDE_EARLIER.includes(name));
  // If no migration has been executed, the database is new.
  if (!isPending || all.every(({ executedAt }) => !executedAt)) return;
  const { rows: tables } = await sql`select where to_regclass('nodes') is not null`.execute(db);
  if (tables.length === 0) return;
  const { rows: live } = await sql`select from nodes where expires_at > clock_timestamp()`.execute(db);
  if (live.length > 0)
    throw new DataFolderError(
      'Servers of an earlier version use this database, and would misread what this version stores. Stop all of them, then start this one. A killed server still counts for some seconds.',
    );
}
