import assert from 'node:assert/strict';
import pg from 'pg';
import { openPostgresTraces } from '../../../../src/server/team/traces/postgres-traces.ts';
import { openReplicatedTraces } from '../../../../src/server/team/traces/replicated-traces.ts';
import type { TeamTraces } from '../../../../src/server/traces-thread/worker-data.ts';
import type { ReplicaOutcome } from '../../../../src/server/traces-thread/worker-protocol.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { type OwnPostgres, requireOwnPostgres } from '../../../support/postgres.ts';
import { type TcpProxy, tcpProxy } from '../../../support/tcp-proxy.ts';
import { newRun, postParts, readRun, sendParts } from '../../../support/traces.ts';
import { tracesDatabaseOf } from '../../../support/traces-database.ts';
import { eventually } from '../../../support/wait.ts';

describe('traces with a replica of PostgreSQL', function () {
  this.timeout(240_000);
  const cleanup = new AsyncDisposableStack();
  let postgres: OwnPostgres;
  /** Simulates the address of the database, and the network to the replica. */
  let address: TcpProxy;
  let network: TcpProxy;
  let traces: TeamTraces;
  /** The replica's URL without the simulated network. */
  let replica: string;
  /** The database at a port, without the simulated network. */
  let databaseAt: (port: number) => string;
  let standby: pg.Client;
  let platform: Platform;
  before(async function () {
    postgres = cleanup.use(await requireOwnPostgres(this));
    const port = await postgres.addStandby();
    const database = await tracesDatabaseOf(postgres);
    network = cleanup.use(await tcpProxy(port));
    address = cleanup.use(await tcpProxy(postgres.port));
    databaseAt = (to) => Object.assign(new URL(database.url), { port: String(to) }).href;
    traces = { ...database, url: databaseAt(address.port), replica: databaseAt(network.port) };
    replica = databaseAt(port);
    standby = await eventually('the replica has the database', async () => {
      const client = new pg.Client(replica);
      await client.connect();
      return client;
    });
    cleanup.defer(() => standby.end());
    platform = await startPlatform({ traces });
    cleanup.defer(() => platform.close());
  });
  after(() => cleanup.disposeAsync());

  /** How many queries had an outcome. */
  const count = (outcome: ReplicaOutcome) => {
    const metric = platform.tracing.readGauges().find(({ name }) => name === 'harbor_replica_reads_total');
    return metric?.samples.find(({ labels }) => labels?.outcome === outcome)?.value ?? 0;
  };
  /** Stores a run, and reads it as soon as that is acknowledged. */
  const storeAndRead = async (on = platform) => {
    const run = newRun();
    assert.equal((await sendParts(on, postParts(run))).status, 202);
    assert.equal((await readRun(on, run.id)).id, run.id);
    return run.id;
  };
  const isAsked = async () => {
    await storeAndRead();
    return platform.tracing.replica === 'used';
  };

  it('are read from it', async () => {
    await eventually('the replica is asked', isAsked);
    const { rows } = await standby.query<{ query: string }>(
      "select query from pg_stat_activity where application_name = 'agent-harbor traces read'",
    );
    assert.ok(
      rows.some(({ query }) => /\bFROM attachments\b/.test(query)),
      JSON.stringify(rows),
    );
  });

  it('are read as they were acknowledged while it lags', async () => {
    await standby.query('select pg_wal_replay_pause()');
    await eventually('it pauses', async () => {
      const { rows } = await standby.query<{ state: string }>(
        'select pg_get_wal_replay_pause_state() as state',
      );
      return rows[0]?.state === 'paused';
    });
    try {
      // Before that, the replica may have everything.
      await storeAndRead();
      const before = count('answered');
      for (let at = 0; at < 3; at++) await storeAndRead();
      assert.equal(count('answered'), before);
      assert.equal(platform.tracing.replica, 'behind');
    } finally {
      await standby.query('select pg_wal_replay_resume()');
    }
    await eventually('the replica is asked again', isAsked);
  });

  it('are read while it cannot be reached, and while it says nothing', async () => {
    network.cut();
    await storeAndRead();
    assert.equal(platform.tracing.replica, 'away');
    network.reset();
    await storeAndRead();
    assert.equal(platform.tracing.replica, 'away');
    network.mend();
    await eventually('the replica is asked again', isAsked);
  });

  it('are read when it cancels a query for a change that it has to apply', async () => {
    const outcomes: ReplicaOutcome[] = [];
    const [db, primary] = [
      await openReplicatedTraces(
        { url: databaseAt(postgres.port), replica, thread: new URL(traces.link) },
        (one) => outcomes.push(one),
      ),
      new pg.Client(databaseAt(postgres.port)),
    ];
    try {
      await primary.connect();
      await standby.query("alter system set max_standby_streaming_delay = '0'");
      await standby.query('select pg_reload_conf()');
      const slow = `SELECT count(*)::int AS runs, CASE WHEN pg_is_in_recovery() THEN pg_sleep(60)::text END FROM runs`;
      const runs = await eventually('the replica gives up', async () => {
        const { rows } = await primary.query<{ runs: number }>(
          'select count(*)::int as runs from harbor_traces.runs',
        );
        // The thread waits for the replica meanwhile, and PostgreSQL waits for the thread to ask.
        const changed = primary.query(
          'do $$ begin perform pg_sleep(2); lock table harbor_traces.runs in access exclusive mode; end $$',
        );
        await new Promise((resolve) => setImmediate(resolve));
        const answer = db.ask(() => db.db.statement(slow).get());
        await changed;
        assert.equal(answer?.runs, rows[0]?.runs);
        return outcomes.at(-1) === 'canceled' && answer;
      });
      assert.ok(runs);
    } finally {
      await primary.end();
      db.db.close();
      await standby.query('alter system reset max_standby_streaming_delay');
      await standby.query('select pg_reload_conf()');
    }
  });

  it('are not read from a database that is not its standby', async () => {
    const outcomes: ReplicaOutcome[] = [];
    const thread = new URL(traces.link);
    const url = databaseAt(postgres.port);
    const [db, other] = [
      await openReplicatedTraces({ url, replica: url, thread }, (one) => outcomes.push(one)),
      await openPostgresTraces({ url, thread }, 'read'),
    ];
    try {
      const ask = 'SELECT count(*) AS runs FROM runs';
      const answer = db.ask(() => db.db.statement(ask).get());
      assert.deepEqual(answer, other.statement(ask).get());
      assert.deepEqual(outcomes, ['unrelated']);
    } finally {
      db.db.close();
      other.close();
    }
  });

  describe('after a failover that the replica does not follow', () => {
    /** A server whose replica is the standby that will replace the database. */
    let other: Platform;
    /** A run that only the replica has, as the standby was behind, and one that both have. */
    let lost: string;
    let kept: string;
    let reading: Promise<unknown>;

    before(async () => {
      const port = await postgres.addStandby();
      const promoted = new pg.Client(databaseAt(port));
      const primary = new pg.Client(databaseAt(postgres.port));
      for (const client of [promoted, primary]) {
        client.on('error', () => {});
        await client.connect();
      }
      other = await startPlatform({ traces: { ...traces, replica: databaseAt(port) } });
      cleanup.defer(() => other.close());
      await eventually('its replica is asked', async () => {
        await storeAndRead(other);
        return other.tracing.replica === 'used';
      });
      await promoted.query('select pg_wal_replay_pause()');
      await eventually('it pauses', async () => {
        const { rows } = await promoted.query('select pg_get_wal_replay_pause_state() as state');
        return rows[0]?.state === 'paused';
      });
      kept = await storeAndRead();
      await eventually('it has received that', async () => {
        const { rows } = await primary.query<{ has: boolean }>(
          'select flush_lsn >= pg_current_wal_flush_lsn() as has from pg_stat_replication',
        );
        return rows.length === 2 && rows.every(({ has }) => has);
      });
      // While its replay is paused, a standby does not connect again.
      await primary.query(
        'select pg_terminate_backend(pid) from pg_stat_replication order by backend_start desc limit 1',
      );
      await eventually('it is cut off', async () => {
        const { rows } = await primary.query('select from pg_stat_replication');
        return rows.length === 1;
      });
      lost = await storeAndRead();
      await eventually('the replica is asked', isAsked);

      // The address leads to the standby before that becomes the database.
      address.lead(port);
      address.reset();
      reading = readRun(platform, kept);
      await Promise.race([
        reading.catch(() => {}),
        eventually('it asks there', () => address.sources.length > 0),
      ]);
      await postgres.failOver();
      await Promise.all([promoted.end(), primary.end()]);
    });

    it('are read from the database, and never from the standby before that becomes the database', async () => {
      const { id } = (await reading) as { id: string };
      assert.equal(id, kept);
    });

    it('do not include what the replica alone has', async () => {
      await storeAndRead();
      assert.equal((await platform.fetch(`/runs/${lost}`)).status, 404);
      const { rows } = await standby.query('select from harbor_traces.runs where id = $1', [lost]);
      assert.equal(rows.length, 1);
      assert.equal(platform.tracing.replica, 'behind');
    });

    it('are read by a server whose replica has become the database', async () => {
      await storeAndRead(other);
      assert.equal(other.tracing.replica, 'unrelated');
    });
  });
});
