import { randomUUID } from 'node:crypto';
import type { BoundStatement } from '../../storage/sync-database.ts';
import type { ReservedKeys, TracesDatabase } from '../../tracing/database/traces-database.ts';
import type { KeyedTable, TracesSchema } from '../../tracing/database/traces-schema.ts';
import { LOCK_NOT_AVAILABLE } from '../postgres/error-kinds.ts';
import { DatabaseLink, type Link, type LinkOptions, StatementError } from '../postgres/link/database-link.ts';
import type { LinkResult } from '../postgres/link/link-protocol.ts';
import { PostgresSyncDatabase } from '../postgres/link/postgres-sync-database.ts';
import { PostgresCompiler } from '../postgres/postgres-compiler.ts';
import { PostgresTextIndex } from './postgres-text-index.ts';
import { TRACES_SCHEMA, TRACES_SETTINGS } from './traces-tables.ts';

/** Advisory locks: for writing transactions, and for the server that maintains the database. */
const WRITING = 0x41_48_54_57;
const MAINTENANCE = 0x41_48_54_54;
/** The interval at which a server tries to get the maintenance lock. */
const LOCK_INTERVAL_MS = 1_000;
/** A server that stops in the middle of a transaction must not block other writers for longer. */
const IDLE_IN_TRANSACTION_MS = '10000';
/** How many row keys are reserved at once, for one request with many runs or several with few. */
const KEYS_AT_ONCE = 256;

/** How long to wait for a locked table. This server's requests have to wait during this time too. */
const LOCK_MS = 10;

/** The progress of freeing the space of purged data. */
interface Freeing {
  /** When all of the data had been deleted, by PostgreSQL's clock. */
  readonly deletedBy: string;
  /** Tables whose space has yet to be freed, once no open transaction sees the deleted rows. */
  tables: string[] | undefined;
}

/** Compiles queries of traces, in which numbers may be fractions. */
class TracesCompiler extends PostgresCompiler {
  /**
   * States the type of a fraction: without it, a parameter has the type of the column that it is compared with, and
   * most columns are integers.
   */
  protected override appendValue(value: unknown): void {
    super.appendValue(value);
    if (typeof value === 'number' && !Number.isSafeInteger(value)) this.append('::double precision');
  }
}

/**
 * Traces in PostgreSQL, which any number of servers write in turns: a writing transaction locks all of them, as in
 * `traces.db`, so nothing changes between two of its statements.
 */
export class PostgresTraces extends PostgresSyncDatabase<TracesSchema> implements TracesDatabase {
  readonly textIndex = new PostgresTextIndex(this);
  readonly #name = randomUUID();
  readonly #isWriter: boolean;
  readonly #mayMaintain: boolean;
  #forget = () => {};
  #isOthersTurn = false;
  /** When the maintenance lock was last requested. */
  #requestedAt = Number.NEGATIVE_INFINITY;
  #isMaintainer = false;
  readonly #freeing = new Map<string, Freeing>();

  /** @param maintains whether this server may maintain the database. */
  constructor(link: Link, role: 'write' | 'read', maintains: boolean) {
    super(link, () => new TracesCompiler());
    this.#isWriter = role === 'write';
    this.#mayMaintain = maintains;
  }

  whenOthersWrote(forget: () => void): void {
    this.#forget = forget;
  }

  protected opening() {
    return {
      statements: this.#isWriter
        ? [`SELECT pg_advisory_xact_lock(${WRITING})`, 'SELECT writer FROM turns']
        : [],
      opened: (results: readonly LinkResult[]) => {
        if (!this.#isWriter || results[1]?.rows[0]?.writer === this.#name) return;
        this.#forget();
        this.#isOthersTurn = true;
      },
    };
  }

  override transaction<Result>(work: () => Result): Result {
    return super.transaction(() => {
      if (this.#isOthersTurn) {
        this.#isOthersTurn = false;
        this.statement('UPDATE turns SET writer = ?').run(this.#name);
      }
      return work();
    });
  }

  reserveKeys(tables: readonly KeyedTable[]): ReservedKeys[] {
    const sequences = tables.map((table): BoundStatement<{ last: number }> => {
      const sequence = `'${table}_key_seq'`;
      const sql = `SELECT setval(${sequence}, nextval(${sequence}) + ${KEYS_AT_ONCE - 1}) AS last`;
      return { sql, values: [] };
    });
    const answers = this.allOf(sequences);
    return tables.map((table, at) => ({
      table,
      after: Number(answers[at]?.[0]?.last) - KEYS_AT_ONCE,
      count: KEYS_AT_ONCE,
    }));
  }

  get isMaintainer(): boolean {
    if (!this.#mayMaintain) return false;
    // A lost connection loses the lock, so the lock is requested repeatedly; the server that has it gets it again.
    if (performance.now() - this.#requestedAt > LOCK_INTERVAL_MS) {
      this.#requestedAt = performance.now();
      const row = this.statement(`SELECT pg_try_advisory_lock(${MAINTENANCE}) AS maintains`).get();
      this.#isMaintainer = row?.maintains === 1;
      // Another server may now delete rows for the same purge after this server has freed the space of others.
      if (!this.#isMaintainer) this.#freeing.clear();
    }
    return this.#isMaintainer;
  }

  /** The secret with which links to attachments are signed; all servers use the same one. */
  get linkSecret(): string {
    return String(this.statement('SELECT secret FROM link_secret').get()?.secret);
  }

  /**
   * Frees the space of deleted data. Deleted rows disappear from tables and indexes once no transaction can see them
   * any longer; deleted objects count as removed once the store has confirmed it.
   */
  freeSpace(until: number, purge: string): 'done' | 'begun' | 'waits' {
    const freeing = this.#freeing.get(purge) ?? { deletedBy: this.#now(), tables: undefined };
    this.#freeing.set(purge, freeing);
    if (freeing.tables === undefined && this.#isHeld(freeing.deletedBy)) return 'waits';
    freeing.tables ??= this.statement('SELECT tablename FROM pg_tables WHERE schemaname = ?')
      .all(TRACES_SCHEMA)
      .map(({ tablename }) => String(tablename));
    for (let [table] = freeing.tables; table !== undefined; [table] = freeing.tables) {
      if (performance.now() > until) return 'begun';
      if (!this.#vacuum(table)) return 'waits';
      freeing.tables.shift();
    }
    this.#freeing.delete(purge);
    return 'done';
  }

  /**
   * Frees the space of a table's deleted rows.
   * @returns false while something else, such as autovacuum, is working on the table.
   */
  #vacuum(table: string): boolean {
    this.statement(`SET lock_timeout = ${LOCK_MS}`).run();
    try {
      // The planner's statistics contain values of rows, even of deleted ones, until they are recomputed.
      this.statement(`VACUUM (INDEX_CLEANUP ON, ANALYZE) ${TRACES_SCHEMA}.${table}`).run();
      this.#forgetEmpty(table);
      return true;
    } catch (error) {
      if (error instanceof StatementError && error.sqlState === LOCK_NOT_AVAILABLE) return false;
      throw error;
    } finally {
      // The database may have a limit by default.
      this.statement('SET lock_timeout = 0').run();
    }
  }

  /**
   * Removes the statistics of a table without rows: ANALYZE does not change them. Setting a column's type to its
   * current one is the only way in which the table's owner can remove them (`RemoveStatistics` in PostgreSQL's
   * ATExecAlterColumnType).
   */
  #forgetEmpty(table: string): void {
    const isEmpty = this.statement(`SELECT 1 FROM ${TRACES_SCHEMA}.${table} LIMIT 1`).get() === undefined;
    if (!isEmpty) return;
    const columns = this.statement(
      `SELECT format('ALTER COLUMN %I TYPE %s', attname, format_type(atttypid, atttypmod))
           || coalesce((SELECT format(' COLLATE %I.%I', collnamespace::regnamespace, collname)
                        FROM pg_collation WHERE oid = attcollation), '') AS change
         FROM pg_attribute AS had JOIN pg_stats USING (attname)
         WHERE schemaname = ?1 AND tablename = ?2 AND attrelid = format('%I.%I', schemaname, tablename)::regclass
           AND atttypid IN ('text'::regtype, 'tsvector'::regtype)
           AND NOT EXISTS (SELECT 1 FROM pg_attribute AS made WHERE made.attrelid = had.attrelid AND made.attgenerated <> '')`,
    ).all(TRACES_SCHEMA, table);
    if (columns.length === 0) return;
    const changes = columns.map(({ change }) => String(change)).join(', ');
    this.statement(`ALTER TABLE ${TRACES_SCHEMA}.${table} ${changes}`).run();
  }

  #now(): string {
    return String(this.statement('SELECT clock_timestamp()::text AS now').get()?.now);
  }

  /** Whether an older transaction can still see the deleted data, or the store still has some of its objects. */
  #isHeld(deletedBy: string): boolean {
    const held = this.statement(
      `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < ?1::timestamptz
       UNION ALL SELECT 1 FROM loose_objects WHERE doomed_at <= ?1::timestamptz LIMIT 1`,
    );
    return held.get(deletedBy) !== undefined;
  }
}

/**
 * Opens the traces of a team's database.
 * @param role the role of the thread: the writing thread creates or updates the tables.
 * @throws DataFolderError when the database cannot be used.
 */
export async function openPostgresTraces(
  {
    url,
    thread,
    maintains = true,
  }: Pick<LinkOptions, 'url' | 'thread'> & { readonly maintains?: boolean | undefined },
  role: 'write' | 'read',
): Promise<PostgresTraces> {
  return new PostgresTraces(await openTracesLink({ url, thread }, role), role, maintains);
}

/** Opens a connection for traces, in a separate thread. @throws DataFolderError when the database cannot be used. */
export function openTracesLink(
  options: Pick<LinkOptions, 'url' | 'thread' | 'isReplica'>,
  role: 'write' | 'read',
): Promise<DatabaseLink> {
  return DatabaseLink.open({
    ...options,
    application: `agent-harbor traces ${role}`,
    migrates: role === 'write',
    settings: {
      ...TRACES_SETTINGS,
      ...(role === 'write'
        ? { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS }
        : { plan_cache_mode: 'force_custom_plan' }),
    },
  });
}
