import assert from 'node:assert/strict';
import pg, { DatabaseError } from 'pg';
import { holdersOfThread } from '../../../../src/server/agent-server/data/run-queries.ts';
import { migrations, type PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { type OwnPostgres, requireOwnPostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';

const TAKEN_OVER = 'AH003';
const STORED_ALREADY = 'AH004';

describe('the units of a server', function () {
  this.timeout(120_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this, ['-c', 'shared_preload_libraries=pg_stat_statements']);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    return client;
  }

  /** Starts a unit of lane 0. @returns why it was refused */
  async function begin(client: pg.Client, node: string, unit: number): Promise<string | undefined> {
    return client.query('select harbor_begin($1, 0, $2, null)', [node, unit]).then(
      () => undefined,
      (error: unknown) => (error instanceof DatabaseError ? error.code : assert.fail()),
    );
  }

  async function storeUnits(db: PostgresState, count: number): Promise<void> {
    let left = count;
    const clients = Array.from({ length: 12 }, async () => {
      while (left-- > 0)
        await db.commit((unit) =>
          unit.do(unit.build.insertInto('settings').values({ name: crypto.randomUUID(), value: '' })),
        );
    });
    await Promise.all(clients);
  }

  it('cost no more while somebody has an old snapshot open', async () => {
    const url = await postgres.createDatabase();
    const [db, admin, dump] = [await openTeamState(url), await connect(url), await connect(url)];
    await admin.query('create extension pg_stat_statements');
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from threads');
    await storeUnits(db, 6_000);
    await admin.query('select pg_stat_statements_reset()');
    await storeUnits(db, 300);
    const { rows } = await admin.query<{ blocks: number }>(
      `select ((shared_blks_hit + shared_blks_read) / calls)::float8 as blocks from pg_stat_statements
       where query like 'select harbor_begin%'`,
    );
    // Without a snapshot, about 5 blocks are read per call.
    assert.ok(rows[0] !== undefined && rows[0].blocks > 0 && rows[0].blocks < 8, JSON.stringify(rows));
    await Promise.all([admin.end(), dump.end(), db.destroy()]);
  });

  it('find the unfinished runs of a thread without reading all that have ended since an old snapshot', async () => {
    const url = await postgres.createDatabase();
    const [db, admin, dump] = [await openTeamState(url), await connect(url), await connect(url)];
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from threads');
    // The runs need no deployment then.
    await admin.query("set session_replication_role = 'replica'");
    await admin.query(`insert into threads (thread_id, deployment_id, status, metadata, config, interrupts, created_at, updated_at)
      select n::text, 'd', 'idle', '{}', '{}', '{}', '', '' from generate_series(1, 3000) as n`);
    await admin.query(`insert into runs (run_id, thread_id, deployment_id, assistant_id, graph_id, status, metadata, kwargs,
        multitask_strategy, stateless, created_at, updated_at)
      select n::text, n::text, 'd', 'a', 'g', 'running', '{}', '{}', 'reject', 0, '', '' from generate_series(1, 3000) as n`);
    await admin.query("update runs set status = 'success'");
    await admin.query('vacuum analyze runs, threads');
    const { sql, parameters } = holdersOfThread.bind(db, { thread_id: '7', deployment_id: 'd' });
    const { rows } = await admin.query<{ 'QUERY PLAN': [{ Plan: Record<string, unknown> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      [...parameters],
    );
    const {
      'Shared Hit Blocks': hit,
      'Shared Read Blocks': read,
      'Actual Rows': found,
    } = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    assert.equal(found, 1);
    assert.ok(Number(hit) + Number(read) < 20, `${Number(hit)} and ${Number(read)} blocks`);
    await Promise.all([admin.end(), dump.end(), db.destroy()]);
  });

  it('are stored once, even if an earlier version has stored them', async () => {
    const url = await postgres.createDatabase();
    const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0012'));
    const earlier = await openTeamState(url, { known });
    const [one, other] = [await connect(url), await connect(url)];
    const { node } = earlier;
    assert.equal(await begin(one, node, 5), undefined);
    const newer = await openTeamState(url);
    assert.equal(await begin(one, node, 5), STORED_ALREADY);
    assert.equal(await begin(one, node, 6), undefined);
    assert.equal(await begin(one, node, 6), STORED_ALREADY);
    // The first ones of a span, one after the other and at once
    for (const unit of [64, 65, 128]) {
      await one.query('begin');
      assert.equal(await begin(one, node, unit), undefined);
      const again = begin(other, node, unit);
      await one.query('commit');
      assert.equal(await again, STORED_ALREADY);
      await one.query('begin');
      assert.equal(await begin(one, node, unit + 1), undefined);
      await one.query('rollback');
    }
    const { rows } = await one.query('select unit::int from node_spans where node = $1', [node]);
    assert.deepEqual(rows, [{ unit: 128 }]);
    await Promise.all([one.end(), other.end(), newer.destroy(), earlier.destroy()]);
  });

  it('are awaited by the server that takes over, and refused afterwards', async () => {
    const url = await postgres.createDatabase();
    const db = await openTeamState(url);
    const [one, other] = [await connect(url), await connect(url)];
    for (const unit of [1_000, 1_001, 1_024]) {
      await one.query('begin');
      assert.equal(await begin(one, db.node, unit), undefined);
      await other.query('begin');
      await other.query("set local lock_timeout = '200ms'");
      const takes = other.query('delete from nodes where number = $1', [db.node]);
      await assert.rejects(takes, { code: '55P03' });
      await other.query('rollback');
      await one.query('commit');
    }
    await other.query('begin');
    await other.query('delete from nodes where number = $1', [db.node]);
    const late = [begin(one, db.node, 1_025)];
    await other.query('commit');
    late.push(begin(one, db.node, 1_100));
    assert.deepEqual(await Promise.all(late), [TAKEN_OVER, TAKEN_OVER]);
    await Promise.all([one.end(), other.end(), db.destroy()]);
  });
});
