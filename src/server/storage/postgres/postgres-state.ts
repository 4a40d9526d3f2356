import { CompiledQuery, type Kysely, Migrator } from 'kysely';
import pg, { type ClientConfig } from 'pg';
import { messageOf } from '../../../process/message-of.ts';
import { DataFolderError } from '../data-folder-error.ts';
import type { PreparedQuery } from '../prepared-query.ts';
import { type Reading, readFirst } from '../reading.ts';
import { StateDatabase } from '../state-database.ts';
import type { StateSchema } from '../state-schema.ts';
import { refuseWaiting } from '../sync-database.ts';
import type { Write } from '../unit.ts';
import { Lane } from './lane.ts';
import { state } from './migrations/0001-state.ts';
import { exchanges } from './migrations/0002-exchanges.ts';
import { postgresBuilder, postgresDialect } from './postgres-dialect.ts';
import { PostgresUnit } from './postgres-unit.ts';
import { type SoleUse, takeSoleUse } from './sole-use.ts';

/** Every migration, in order; a released one is never changed. */
const migrations = { '0001-state': state, '0002-exchanges': exchanges };

const MAX_CONNECTIONS = 8;
const INT8 = 20;

/** The state of a team's server, in PostgreSQL: units of writes on a connection of their own, all else over a pool. */
export class PostgresState extends StateDatabase {
  readonly #build = postgresBuilder();
  readonly #units: Lane;
  readonly #soleUse: SoleUse;
  override readonly lost: Promise<DataFolderError>;

  constructor(config: ClientConfig, soleUse: SoleUse) {
    super({ dialect: postgresDialect(poolOf(config)) });
    this.#units = new Lane(config);
    this.#soleUse = soleUse;
    this.lost = soleUse.lost;
  }

  async commit(write: Write): Promise<void> {
    const unit = new PostgresUnit(this.#build);
    refuseWaiting(write(unit));
    await this.#units.store(unit.statements);
  }

  look<Result>(reading: () => Reading<Result>): Promise<Result> {
    return this.transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((snapshot) => this.#answer(snapshot, reading()));
  }

  /** One query needs no transaction. */
  override find<Values extends object, Row>(
    query: PreparedQuery<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row | undefined> {
    return this.#answer(this, readFirst(query, values));
  }

  async #answer<Result>(db: Kysely<StateSchema>, reading: Reading<Result>): Promise<Result> {
    let step = reading.next();
    while (step.done !== true) {
      const { sql, parameters } = step.value.bind(this.#build);
      const { rows } = await db.executeQuery(CompiledQuery.raw(sql, [...parameters]));
      step = reading.next(rows);
    }
    return step.value;
  }

  override async destroy(): Promise<void> {
    await this.#units.close();
    await super.destroy();
    await this.#soleUse[Symbol.asyncDispose]();
  }
}

/**
 * Opens a database at the newest schema, for one server at a time.
 * @throws DataFolderError when it cannot be reached, another server uses it or a newer version has, or a migration fails.
 */
export async function openPostgresState(url: string): Promise<PostgresState> {
  const config = { connectionString: url, application_name: 'agent-harbor' };
  const soleUse = await takeSoleUse(config).catch((error: unknown) => {
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(`The database cannot be used: ${messageOf(error)}`, { cause: error });
  });
  const db = new PostgresState(config, soleUse);
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

async function migrate(db: Kysely<StateSchema>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const isNewer = error instanceof Error && /previously executed migration .* is missing/.test(error.message);
  throw new DataFolderError(
    isNewer
      ? 'The database was written by a newer version of Agent Harbor. Update Agent Harbor, or choose another database.'
      : `The database could not be updated to this version: ${String(error)}`,
    { cause: error },
  );
}

/** Connections that give values as SQLite's do. */
function poolOf(config: ClientConfig): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  // The next query says what is wrong.
  return new pg.Pool({ ...config, max: MAX_CONNECTIONS, types }).on('error', () => {});
}
