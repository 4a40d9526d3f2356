import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Migration, Migrator } from 'kysely';
import { replace } from '../../process/replace.ts';
import { backupsFolder, findBackup } from './backups.ts';
import { DataFolderError } from './data-folder-error.ts';
import { hasNoTables, refuseLostTables } from './lost-database.ts';

interface MigrateOptions {
  readonly migrations: Readonly<Record<string, Migration>>;
  readonly database: DatabaseSync;
  readonly name: 'state' | 'traces';
  /** The folder of the database. */
  readonly dataDir: string;
  /** The version of this program. */
  readonly version?: string | undefined;
}

/**
 * Updates a database to the newest schema. Before pending migrations, the file is copied, unless it is new.
 * Each migration runs in a transaction. Records the newest version of this program that has used the
 * database.
 * @param options.structure statements that create the newest schema in an empty database, which takes a
 * tenth of the time.
 * @throws DataFolderError when the database has lost its tables, or was written by a newer version, or when
 * a migration fails.
 */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  options: MigrateOptions & { readonly structure?: string },
): Promise<void> {
  const { database, structure, dataDir, name } = options;
  refuseLostTables(dataDir, `${name}.db`, database);
  refuseNewer(options);
  if (structure !== undefined && hasNoTables(database)) database.exec(`BEGIN; ${structure} COMMIT;`);
  if (!isNewest(database, Object.keys(options.migrations))) await applyPending(db, options);
  const version = numberOf(options.version);
  if (version > writtenBy(database)) database.exec(`PRAGMA user_version = ${version}`);
}

async function applyPending<Schema>(
  db: Kysely<Schema>,
  options: Pick<MigrateOptions, 'migrations' | 'database' | 'name' | 'dataDir'>,
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
    const backups = backupsFolder(options.dataDir);
    await mkdir(backups, { recursive: true });
    const copy = path.join(backups, `${options.name}.before-${pending[0]?.name}.db`);
    // An earlier attempt may have left a copy, or an incomplete one, which SQLite does not overwrite.
    const incomplete = `${copy}.new`;
    await rm(incomplete, { force: true });
    options.database.prepare('VACUUM INTO ?').run(incomplete);
    await replace(incomplete, copy);
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new DataFolderError(`${options.name}.db could not be updated to this version: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Whether all migrations have been applied, as at nearly every start. Otherwise, the slower migrator is needed. */
function isNewest(database: DatabaseSync, names: readonly string[]): boolean {
  return isDeepStrictEqual(appliedTo(database), [...names].sort());
}

function appliedTo(database: DatabaseSync): string[] {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get();
  if (table === undefined) return [];
  return database
    .prepare('SELECT name FROM migrations ORDER BY name')
    .all()
    .map(({ name }) => String(name));
}

/**
 * Refuses a database of a newer version, because this version could lose data that it does not know, or write data that
 * the newer one cannot read.
 */
function refuseNewer({ database, migrations, name, version, dataDir }: MigrateOptions): void {
  const unknown = appliedTo(database).filter((applied) => migrations[applied] === undefined);
  if (unknown.length === 0) return;
  const newer = writtenBy(database);
  // Builds between two releases have the number of the previous one.
  const by = newer > numberOf(version) ? `Agent Harbor ${textOf(newer)}` : 'a newer build of Agent Harbor';
  const own = version === undefined ? 'this version' : `this version (${version})`;
  const backup = findBackup(dataDir, name);
  const copy = backup === undefined ? '' : ` ${backup} is a copy from before an update.`;
  throw new DataFolderError(
    `${name}.db was written by ${by} and cannot be read by ${own}. Update Agent Harbor, or choose ` +
      `another data folder with --data-dir.${copy}`,
  );
}

/** The newest version that has used a database, as a number; 0 if none is recorded. */
function writtenBy(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** A version as a number: 1.2.3 as 1002003. SQLite stores it in the header of the file. */
function numberOf(version = '0.0.0'): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}

function textOf(version: number): string {
  return [Math.floor(version / 1_000_000), Math.floor(version / 1_000) % 1_000, version % 1_000].join('.');
}
