import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Migration, Migrator } from 'kysely';

/** Migrations could not be applied; the database stays as it was. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Brings a database to the newest schema, forwards only, each migration in a transaction, after a copy of the file was
 * set aside.
 * @param options.structure statements that make of an empty database what all migrations would, in a tenth of the time.
 * @param options.backups folder for the copy, made when there is something to migrate from.
 * @throws MigrationError
 */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  options: {
    migrations: Record<string, Migration>;
    database: DatabaseSync;
    structure?: string;
    name: string;
    backups: string;
  },
): Promise<void> {
  const { database, structure } = options;
  if (structure !== undefined && isEmpty(database)) database.exec(`BEGIN; ${structure} COMMIT;`);
  if (isNewest(database, Object.keys(options.migrations))) return;
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
    database.prepare('VACUUM INTO ?').run(copy);
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new MigrationError(`${options.name} could not be brought to this version: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Seen at a glance, since nearly every start finds it so; whatever else there is, the migrator judges. */
function isNewest(database: DatabaseSync, names: readonly string[]): boolean {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get();
  if (table === undefined) return false;
  const applied = database.prepare('SELECT name FROM migrations ORDER BY name').all();
  return isDeepStrictEqual(
    applied.map(({ name }) => name),
    [...names].sort(),
  );
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
}
