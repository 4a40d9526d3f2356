import { isDeepStrictEqual } from 'node:util';
import { Kysely } from 'kysely';
import pg from 'pg';
import { z } from 'zod';
import { crashPoint } from '../../storage/crash-point.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { beginSession } from '../postgres/begin-session.ts';
import { connectionOptions } from '../postgres/connection-options.ts';
import { databaseProblem } from '../postgres/database-problem.ts';
import { migratePostgres } from '../postgres/migrate-postgres.ts';
import { MOVING } from '../postgres/moving.ts';
import { poolOf } from '../postgres/pool.ts';
import { postgresDialect } from '../postgres/postgres-dialect.ts';
import { migrations } from '../postgres/postgres-state.ts';
import { rollBack } from '../postgres/roll-back.ts';
import { requireSessionPooling } from '../postgres/session-pooling.ts';
import { postgresTracesMigrations, TRACES_SCHEMA, TRACES_SETTINGS } from '../traces/traces-tables.ts';
import { MoveError } from './move-error.ts';
import { type MovedTable, quoted } from './moved-tables.ts';
import { type Column, keyColumns, type Row, readInteger, type Value } from './row.ts';

/** The key of the lock for a move. */
const LOCK = 0x41_48_5f_4d;
const MOVED = 'moved';
/**
 * The number of rows, and the bytes, to read at once. Rows may have megabytes, so reading stops at whichever limit is
 * reached first.
 */
const READ_AT_ONCE = 500;
const READ_BYTES = 4 * 1024 * 1024;

/**
 * A table in a team's database, including the one for large payloads of traces, which are files in a folder. The data of
 * such a payload is in the object store or in its row.
 */
type TeamTable = MovedTable | typeof BLOBS;
export const BLOBS = `${TRACES_SCHEMA}.blobs`;

/** Selects the rows of a workspace. */
export interface RowsOfWorkspace {
  /** A condition in SQL, in which `$1` is the ID of the workspace. */
  readonly where: string;
  readonly id: string;
}

/** The progress of a move, stored with the rows. */
const Progress = z.object({
  source: z.string(),
  /**
   * Whether large payloads that were rows go to an object store; undefined in a move by an earlier version,
   * where they do not.
   */
  hasObjects: z.boolean().optional(),
  node: z.number(),
  /** The key of the last stored row, by table. */
  last: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.null()]))),
});
export type Progress = z.output<typeof Progress>;

/** A team's database, into which a folder is moved before any server uses it. */
export class TeamDatabase {
  readonly db: Kysely<StateSchema>;
  readonly #client: pg.Client;
  readonly #types = new Map<TeamTable, Map<string, string>>();

  private constructor(db: Kysely<StateSchema>, client: pg.Client) {
    this.db = db;
    this.#client = client;
  }

  /** @throws DataFolderError if the database cannot be used, MoveError if another move is in progress. */
  static async connect(url: string): Promise<TeamDatabase> {
    const config = connectionOptions(url, 'agent-harbor move');
    const types = new pg.TypeOverrides();
    types.setTypeParser(pg.types.builtins.INT8, readInteger);
    const client = new pg.Client({ ...config, types });
    // The next query fails and reports it.
    client.on('error', () => {});
    try {
      await requireSessionPooling(url, 'agent-harbor move');
      await beginSession(client);
    } catch (error) {
      throw databaseProblem(error, url);
    }
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, 0) as taken', [
      LOCK,
    ]);
    if (rows[0]?.taken !== true) {
      await client.end();
      throw new MoveError('Another move into this database is under way. Wait until it has ended.');
    }
    return new TeamDatabase(new Kysely({ dialect: postgresDialect(poolOf(config)) }), client);
  }

  /**
   * Checks that the database is empty, or contains only what an earlier attempt of the same move has stored.
   * @throws MoveError
   */
  async check(source: string): Promise<void> {
    const { rows } = await this.#client.query<{ has: boolean }>(
      "select to_regclass('settings') is not null and to_regclass('workspaces') is not null as has",
    );
    if (rows[0]?.has !== true || (await this.#readProgress(MOVING)) !== undefined) return;
    const moved = await this.#readProgress(MOVED);
    if (moved?.source === source)
      throw new MoveError(
        'This folder has been moved into this database already. Start the servers of the team.',
      );
    if ((await this.#client.query('select from workspaces limit 1')).rowCount !== 0)
      throw new MoveError('The database is used already. Move into an empty one, which --to names.');
  }

  /**
   * Starts a move, or finds the progress of an earlier attempt. From now on, no server starts with this
   * database.
   * @throws MoveError when an earlier attempt moved another folder, an earlier state of this one, or with
   * other options; or when servers use the database.
   */
  async begin(url: string, begun: Pick<Progress, 'source' | 'hasObjects'>): Promise<Progress> {
    const { source, hasObjects } = begun;
    const config = connectionOptions(url, 'agent-harbor move');
    await migratePostgres(config, migrations);
    await migratePostgres(config, postgresTracesMigrations, TRACES_SCHEMA, TRACES_SETTINGS);
    await this.check(source);
    const earlier = await this.#readProgress(MOVING);
    if (earlier !== undefined && earlier.source !== source)
      throw new MoveError(
        'Another folder was being moved into this database, or a server has used this one since. Move into an empty database.',
      );
    // Earlier versions did not record this, and never moved payloads of rows to an object store.
    const hadObjects = earlier?.hasObjects ?? false;
    if (earlier !== undefined && hadObjects !== hasObjects)
      throw new MoveError(
        `The move was begun ${hasObjects === true ? 'without --objects, or by an earlier version' : 'with --objects'}. Continue with the same options, or move into an empty database.`,
      );
    const progress = earlier ?? (await this.#mark(begun));
    const live = await this.#client.query('select from nodes where expires_at > clock_timestamp()');
    if (live.rowCount !== 0) {
      if (earlier === undefined) await this.#client.query('delete from settings where name = $1', [MOVING]);
      throw new MoveError('Servers use this database. Stop them first.');
    }
    return progress;
  }

  /** Stores rows together with the progress of the move. */
  async store(
    table: TeamTable,
    rows: readonly Row[],
    columns: readonly Column[],
    progress: Progress,
  ): Promise<void> {
    const types = await this.#typesOf(table);
    const names = columns.map(({ name }) => `"${name}"`).join();
    const lists = columns.map(({ name }, index) => `$${index + 1}::${types.get(name)}[]`).join();
    await this.#client.query('begin');
    try {
      await this.#client.query(
        `insert into ${quoted(table)} (${names}) overriding system value select * from unnest(${lists})`,
        columns.map(({ name }) => rows.map((row) => row[name] ?? null)),
      );
      await this.#client.query('update settings set value = $2 where name = $1', [
        MOVING,
        JSON.stringify(progress),
      ]);
      await this.#client.query('commit');
    } catch (error) {
      await rollBack(this.#client);
      throw error;
    }
    crashPoint('move-stored');
  }

  /** The rows of a table in the order of the primary key: all of them, or those of a workspace. */
  async *rows(
    table: TeamTable,
    columns: readonly Column[],
    workspace?: RowsOfWorkspace,
  ): AsyncGenerator<Row> {
    const names = columns.map(({ name }) => `"${name}"`).join();
    const key = keyColumns(columns);
    const order = key.map((name) => `"${name}"`).join();
    const size = await this.#sizeOf(table, columns);
    let after: Value[] | undefined;
    for (;;) {
      const values = [...(workspace === undefined ? [] : [workspace.id]), ...(after ?? [])];
      const isAfter = `(${order}) > (${key.map((_, at) => `$${values.length - key.length + at + 1}`).join()})`;
      const conditions = [
        ...(workspace === undefined ? [] : [`(${workspace.where})`]),
        ...(after === undefined ? [] : [isAfter]),
      ];
      const { rows } = await this.#client.query<Record<string, Value>>(
        `select ${names} from (
           select *, sum(size) over (order by ${order} rows unbounded preceding) - size as before from (
             select ${names}, ${size} as size from ${quoted(table)}
             ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`} order by ${order} limit ${READ_AT_ONCE}
           ) as slice
         ) as sized where before < ${READ_BYTES} order by ${order}`,
        values,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = key.map((name) => last[name] ?? null);
    }
  }

  /**
   * Lets servers use the moved data.
   * @param lastKeys the last keys of tables of traces, which must not be used again.
   */
  async finish({ source, node }: Progress, lastKeys: ReadonlyMap<string, number>): Promise<void> {
    await this.#client.query('begin');
    await this.#continueKeys(lastKeys);
    await this.#client.query(
      "select setval(pg_get_serial_sequence('deployment_logs', 'id'), (select coalesce(max(id), 0) + 1 from deployment_logs), false)",
    );
    // The node is stored only at the end of the move: otherwise, a server that is refused during the move
    // would already take over from it.
    await this.#client.query(
      "insert into nodes (number, expires_at) overriding system value values ($1, '-infinity')",
      [node],
    );
    await this.#client.query('update settings set name = $2, value = $3 where name = $1', [
      MOVING,
      MOVED,
      JSON.stringify({ source, node, last: {} } satisfies Progress),
    ]);
    await this.#client.query('commit');
    await this.#client.query('analyze');
  }

  /** The number of a workspace's rows in a table. */
  async count(table: TeamTable, { where, id }: RowsOfWorkspace): Promise<number> {
    const { rows } = await this.#client.query<{ rows: number }>(
      `select count(*) as rows from ${quoted(table)} where ${where}`,
      [id],
    );
    return rows[0]?.rows ?? 0;
  }

  /**
   * From now on, everything is read from one snapshot.
   * @throws MoveError when no server of this version has used the database.
   */
  async freeze(): Promise<void> {
    await this.#refuseOtherVersion();
    await this.#client.query('begin isolation level repeatable read read only');
  }

  /** @throws MoveError unless exactly the migrations of this version have been applied. */
  async #refuseOtherVersion(): Promise<void> {
    for (const [table, known] of [
      ['migrations', migrations],
      [`${TRACES_SCHEMA}.migrations`, postgresTracesMigrations],
    ] as const)
      if (!isDeepStrictEqual(await this.#listMigrations(table), Object.keys(known).sort()))
        throw new MoveError(
          'The database was last used by another version of Agent Harbor, or by none. Start a server of this version with it once.',
        );
  }

  /** The names in a table of applied migrations, sorted; none if the table does not exist. */
  async #listMigrations(table: string): Promise<readonly string[]> {
    const { rows } = await this.#client.query<{ has: boolean }>('select to_regclass($1) is not null as has', [
      table,
    ]);
    if (rows[0]?.has !== true) return [];
    const applied = await this.#client.query<{ name: string }>(`select name from ${table} order by name`);
    return applied.rows.map(({ name }) => name);
  }

  /** The last key that was assigned in each table of traces. */
  async lastKeys(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#client.query<{ name: string; last: number }>(
      `select regexp_replace(sequencename, '_key_seq$', '') as name, coalesce(last_value, 0) as last from pg_sequences
       where schemaname = '${TRACES_SCHEMA}' and sequencename like '%_key_seq'`,
    );
    return new Map(rows.map(({ name, last }) => [name, last]));
  }

  /** The ID of the workspace with this ID or name. @throws MoveError if there is none, or if there are several. */
  async findWorkspace(given: string): Promise<string> {
    const { rows } = await this.#client.query<{ id: string; name: string }>(
      'select id, name from workspaces order by created_at',
    );
    const found = rows.filter(({ id, name }) => id === given || name === given);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only.id;
    const all = rows.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw new MoveError(
      only === undefined
        ? `There is no workspace '${given}'. There are: ${all}.`
        : `There are several workspaces '${given}'. Use an ID: ${all}.`,
    );
  }

  async close(): Promise<void> {
    await this.#client.end();
    await this.db.destroy();
  }

  async #continueKeys(lastKeys: ReadonlyMap<string, number>): Promise<void> {
    const { rows } = await this.#client.query<{ name: string; key: string }>(
      `select table_name as name, column_name as key from information_schema.columns
       where table_schema = '${TRACES_SCHEMA}' and is_identity = 'YES'`,
    );
    for (const { name, key } of rows)
      await this.#client.query(
        `select setval(pg_get_serial_sequence($1, $2), greatest(last, 1), last > 0)
         from (select greatest((select max("${key}") from ${TRACES_SCHEMA}."${name}"), $3::bigint, 0) as last) as known`,
        [`${TRACES_SCHEMA}.${name}`, key, lastKeys.get(name) ?? 0],
      );
  }

  /** Announces a move, so that no server starts with the database. @returns its progress. */
  async #mark(begun: Pick<Progress, 'source' | 'hasObjects'>): Promise<Progress> {
    const { rows } = await this.#client.query<{ number: number }>(
      "select nextval(pg_get_serial_sequence('nodes', 'number')) as number",
    );
    const progress: Progress = { ...begun, node: rows[0]?.number ?? 0, last: {} };
    await this.#client.query('insert into settings (name, value) values ($1, $2)', [
      MOVING,
      JSON.stringify(progress),
    ]);
    return progress;
  }

  /** Reads the progress of a move. @param name the setting: `MOVING`, or `MOVED` for one that has ended. */
  async #readProgress(name: string): Promise<Progress | undefined> {
    const { rows } = await this.#client.query<{ value: string }>(
      'select value from settings where name = $1',
      [name],
    );
    return rows[0] && Progress.parse(JSON.parse(rows[0].value));
  }

  /** An SQL expression for the bytes of a row. PostgreSQL knows the length of a large value without reading it. */
  async #sizeOf(table: TeamTable, columns: readonly Column[]): Promise<string> {
    const types = await this.#typesOf(table);
    const long = columns.filter(({ name }) => ['text', 'bytea'].includes(types.get(name) ?? ''));
    return ['0', ...long.map(({ name }) => `coalesce(octet_length("${name}"), 0)`)].join(' + ');
  }

  async #typesOf(table: TeamTable): Promise<ReadonlyMap<string, string>> {
    const known = this.#types.get(table);
    if (known !== undefined) return known;
    const { rows } = await this.#client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [quoted(table)],
    );
    const types = new Map(rows.map(({ name, type }) => [name, type]));
    this.#types.set(table, types);
    return types;
  }
}
