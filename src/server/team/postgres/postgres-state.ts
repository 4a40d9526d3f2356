import { type Migration, sql } from 'kysely';
import pg from 'pg';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Meters, type QueryMeters } from '../../meters.ts';
import type { Metric } from '../../metric-text.ts';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import type { PreparedQuery } from '../../storage/prepared-query.ts';
import { type Reading, readAll, readFirst } from '../../storage/reading.ts';
import { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { refuseWaiting } from '../../storage/sync-database.ts';
import type { Waiting, Write } from '../../storage/unit.ts';
import { beginSession } from './begin-session.ts';
import { connectionOptions } from './connection-options.ts';
import { poolGauges, readDatabaseGauges } from './database-gauges.ts';
import { databaseProblem } from './database-problem.ts';
import { Lanes } from './lanes.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { state } from './migrations/0001-state.ts';
import { exchanges } from './migrations/0002-exchanges.ts';
import { nodes } from './migrations/0003-nodes.ts';
import { runEnds } from './migrations/0004-run-ends.ts';
import { draining } from './migrations/0005-draining.ts';
import { recordings } from './migrations/0006-recordings.ts';
import { duties } from './migrations/0007-duties.ts';
import { served } from './migrations/0008-served.ts';
import { histories } from './migrations/0009-histories.ts';
import { roles } from './migrations/0010-roles.ts';
import { keyRights } from './migrations/0011-key-rights.ts';
import { snapshots } from './migrations/0012-snapshots.ts';
import { costs } from './migrations/0013-costs.ts';
import { operations } from './migrations/0014-operations.ts';
import { runRevisions } from './migrations/0015-run-revisions.ts';
import { MOVING } from './moving.ts';
import { Node } from './node.ts';
import { NotifyBus } from './notify-bus.ts';
import { NotifyChannel } from './notify-channel.ts';
import { poolOf } from './pool.ts';
import { postgresBuilder } from './postgres-compiler.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { PostgresUnit } from './postgres-unit.ts';
import { PreparedReads } from './prepared-reads.ts';
import { ResponseTimeouts } from './response-timeouts.ts';
import { RetryPolicy } from './retry-policy.ts';
import { beginServing, endServing, findHeir } from './served-deployments.ts';
import { requireSessionPooling } from './session-pooling.ts';
import { SharedClaims } from './shared-claims.ts';
import { SharedDuties } from './shared-duties.ts';
import { connectionName } from './take-over.ts';

/** Every migration, in order; a released one is never changed. */
export const migrations = {
  '0001-state': state,
  '0002-exchanges': exchanges,
  '0003-nodes': nodes,
  '0004-run-ends': runEnds,
  '0005-draining': draining,
  '0006-recordings': recordings,
  '0007-duties': duties,
  '0008-served': served,
  '0009-histories': histories,
  '0010-roles': roles,
  '0011-key-rights': keyRights,
  '0012-snapshots': snapshots,
  '0013-costs': costs,
  '0014-operations': operations,
  '0015-run-revisions': runRevisions,
};

const LANES = 6;
/** How long PostgreSQL may be silent during a query, unless requests wait for less time; no query takes long. */
const QUERY_MS = 10_000;
/** The lock that a server holds while it starts. */
const STARTING = 0x41_48_5f_53;

/** The state of a team's server in PostgreSQL: units of writes use lanes; everything else uses a pool. */
export class PostgresState extends StateDatabase {
  readonly #build = postgresBuilder<StateSchema>();
  readonly #lanes: Lanes;
  readonly #pool: pg.Pool;
  readonly #reads: PreparedReads;
  readonly #retryPolicy: RetryPolicy;
  readonly #limits = new ResponseTimeouts();
  readonly #node: Node;
  readonly #channel: NotifyChannel;
  readonly #url: string;
  override readonly bus: NotifyBus;
  override readonly duties: SharedDuties;
  override readonly isNear = false;
  override readonly claims = new SharedClaims();
  override readonly node: string;
  override readonly lost: Promise<DataFolderError>;

  constructor(
    url: string,
    {
      node,
      bus,
      channel,
      retryPolicy,
      meters,
    }: { node: Node; bus: NotifyBus; channel: NotifyChannel; retryPolicy: RetryPolicy; meters: QueryMeters },
  ) {
    const config = connectionOptions(url, connectionName(node.number));
    const pool = poolOf(config);
    super({ dialect: postgresDialect(pool, meters) });
    this.#pool = pool;
    this.#reads = new PreparedReads(pool, this.#build, meters);
    this.#retryPolicy = retryPolicy;
    this.#limits.watchPool(pool, Math.max(retryPolicy.limitMs, QUERY_MS));
    this.#lanes = new Lanes(
      { config, node: node.number, retryPolicy, limits: this.#limits, onTakenOver: () => node.end() },
      LANES,
    );
    this.#url = url;
    this.#node = node;
    this.#channel = channel;
    this.bus = bus;
    this.duties = new SharedDuties(this, bus, node.number);
    this.node = String(node.number);
    this.lost = node.lost;
  }

  override laneOf(threadId: string): string {
    return threadId;
  }

  async commit(
    write: Write,
    subject?: string,
    waiting: Waiting = { since: performance.now(), outlasts: false },
  ): Promise<void> {
    const unit = new PostgresUnit(this.#build);
    refuseWaiting(write(unit));
    await this.#lanes.store({ statements: unit.statements, subject, waiting });
  }

  override async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const client = new pg.Client(connectionOptions(this.#url, connectionName(Number(this.node))));
    // Without this handler, a broken connection would end the process.
    client.on('error', () => {});
    try {
      await beginSession(client);
      await client.query('select pg_advisory_lock($1, 0)', [STARTING]);
      return await work();
    } finally {
      await client.end();
    }
  }

  look<Result>(reading: () => Reading<Result>): Promise<Result> {
    return this.patiently(() => this.#reads.snapshot(reading()));
  }

  /** A single query needs no transaction. */
  override find<Values extends object, Row>(
    query: PreparedQuery<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row | undefined> {
    return this.patiently(() => this.#reads.single(readFirst(query, values)));
  }

  override findAll<Values extends object, Row>(
    query: PreparedQuery<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row[]> {
    return this.patiently(() => this.#reads.single(readAll(query, values)));
  }

  override remember<Row>(read: () => Promise<Row>): Promise<Row> {
    return read();
  }

  override patiently<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.#retryPolicy.retry(read, false);
  }

  override outlasting<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.#retryPolicy.retry(read, true);
  }

  override checkReachable(): void {
    if (!this.#node.isHeard) throw new DatabaseUnreachable();
  }

  override stopWaiting(): void {
    this.#retryPolicy.end();
    this.#limits.stop();
  }

  override drain(): Promise<void> {
    return this.#node.drain();
  }

  override async listServers(): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ number: number }>`select number from nodes`.execute(this);
    return new Set(rows.map(({ number }) => String(number)));
  }

  override readGauges(): Promise<readonly Metric[]> {
    return readDatabaseGauges(this);
  }

  override readConnections(isReached: boolean): readonly Metric[] {
    return poolGauges(this.#pool, isReached);
  }

  override findHeir(deploymentId: string): Promise<string | undefined> {
    return findHeir(this, this.node, deploymentId);
  }

  override serve(deploymentId: string): Promise<void> {
    return beginServing(this, this.node, deploymentId);
  }

  override async stopServing(deploymentId: string): Promise<void> {
    const heir = await endServing(this, this.node, deploymentId);
    if (heir !== undefined) this.bus.hint(`node:${heir}`);
  }

  override async destroy(): Promise<void> {
    this.stopWaiting();
    this.#limits.close();
    this.bus.close();
    await this.#lanes.close();
    await super.destroy();
    await this.#reads.close();
    await this.#channel.close();
    await this.#node.leave();
  }
}

export interface PostgresStateOptions {
  /** The migrations of this version. */
  readonly known?: Readonly<Record<string, Migration>>;
  /** How long requests wait for a database that cannot be reached. */
  readonly patienceMs?: number | undefined;
  readonly meters?: QueryMeters | undefined;
}

/**
 * Opens a database at the newest schema, for any number of servers.
 * @param heartbeat the entry point of the thread that reports that this server is alive.
 * @throws DataFolderError when the database cannot be reached, a newer version has used it, or a migration
 * fails.
 */
export async function openPostgresState(
  url: string,
  heartbeat: URL,
  { known = migrations, patienceMs, meters = new Meters() }: PostgresStateOptions = {},
): Promise<PostgresState> {
  try {
    await requireSessionPooling(url, 'agent-harbor');
    await migratePostgres(connectionOptions(url, 'agent-harbor'), known);
    let channel: NotifyChannel | undefined;
    const bus = new NotifyBus((payload) => {
      if (!node.isAlone) void channel?.notify(payload);
    });
    const node = await Node.join({
      url,
      lanes: LANES,
      heartbeat,
      onTakenOver: (heirs) => {
        for (const heir of heirs) bus.hint(`node:${heir}`);
      },
    });
    channel = await NotifyChannel.open({
      config: connectionOptions(url, connectionName(node.number)),
      onNotified: (payload) => bus.hear(payload),
    });
    const opened = new PostgresState(url, {
      node,
      bus,
      channel,
      retryPolicy: new RetryPolicy(patienceMs),
      meters,
    });
    await refuseWhileMoving(opened);
    return opened;
  } catch (error) {
    throw databaseProblem(error, url);
  }
}

/**
 * Throws while a data folder is being moved into the database. A move looks for servers after it has announced itself,
 * and a server checks for moves after it has joined, so at least one of them notices the other.
 */
async function refuseWhileMoving(state: PostgresState): Promise<void> {
  const row = await state.selectFrom('settings').select('name').where('name', '=', MOVING).executeTakeFirst();
  if (row === undefined) return;
  await state.destroy();
  throw new DataFolderError(
    'A data folder is being moved into this database. Wait until agent-harbor move has ended; if it was interrupted, run it again.',
  );
}
