import { Kysely, type Migration, Migrator } from 'kysely';
import type { ClientConfig } from 'pg';
import { DataFolderError } from '../data-folder-error.ts';
import { databaseProblem } from './database-problem.ts';
import { poolOf } from './pool.ts';
import { postgresDialect } from './postgres-dialect.ts';

/**
 * Brings a database to the newest schema. Several servers may start at once; they wait for each other here.
 * @param schema of PostgreSQL that is made for the tables; without one they are where the connection makes them.
 * @throws DataFolderError when a newer version has used it, or a migration fails, and when it cannot be reached or does
 *   not allow it.
 */
export async function migratePostgres(
  config: ClientConfig,
  migrations: Readonly<Record<string, Migration>>,
  schema?: string,
): Promise<void> {
  const db = new Kysely<unknown>({ dialect: postgresDialect(poolOf(config)) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  await db.destroy();
  if (error === undefined) return;
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message))
    throw new DataFolderError(
      'The database was written by a newer version of Agent Harbor. Update Agent Harbor, or choose another database.',
      { cause: error },
    );
  throw databaseProblem(
    error,
    config.connectionString ?? '',
    'The database could not be updated to this version',
  );
}
