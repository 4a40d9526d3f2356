import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, type Migration, Migrator } from 'kysely';

/** Migrations could not be applied; the database stays as it was. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Brings a database to the newest schema, forwards only, each migration in a transaction, after a copy of the file was
 * set aside.
 * @param options.backups folder for the copy, made when there is something to migrate from.
 * @throws MigrationError
 */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  options: {
    migrations: Record<string, Migration>;
    database: DatabaseSync;
    name: string;
    backups: string;
  },
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(options.migrations) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
  const known = await migrator.getMigrations();
  const pending = known.filter((migration) => migration.executedAt === undefined);
  if (pending.length === 0) return;
  if (pending.length < known.length) {
    await mkdir(options.backups, { recursive: true });
    const copy = path.join(options.backups, `${options.name}.before-${pending[0]?.name}.db`);
    options.database.prepare('VACUUM INTO ?').run(copy);
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new MigrationError(`${options.name} could not be brought to this version: ${String(error)}`, {
      cause: error,
    });
  }
}
