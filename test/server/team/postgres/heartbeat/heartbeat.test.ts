import assert from 'node:assert/strict';
import { sql } from 'kysely';
import pg from 'pg';
import { NODE_LOCKS, SILENCE_MS, takeOver } from '../../../../../src/server/team/postgres/take-over.ts';
import { type Postgres, requirePostgres } from '../../../../support/postgres.ts';
import { tcpProxy } from '../../../../support/tcp-proxy.ts';
import { openTeamState } from '../../../../support/team-state.ts';
import { eventually } from '../../../../support/wait.ts';

describe('the heartbeat of a server', function () {
  this.timeout(90_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('continues over other connections when nothing gets through its own, and gets its lock back', async () => {
    const url = await postgres.createDatabase();
    await using network = await tcpProxy(postgres.port);
    const through = new URL(url);
    through.port = String(network.port);
    const cut = await openTeamState(through.href);
    const other = await openTeamState(url);
    const number = Number(cut.node);
    network.cutThose();
    const cutAt = await now();
    /** How long after that it was last heard, from the point of view of others. */
    const heard = async () => {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from expires_at - ${cutAt}::timestamptz)::float * 1000 - ${SILENCE_MS}::float as ms
        from nodes where number = ${number}`.execute(other);
      return rows[0]?.ms ?? assert.fail('others have taken over from it');
    };
    await eventually('it is heard again', heard, (ms) => ms > SILENCE_MS, 30_000);
    // The end of a thread is noticed later.
    network.mend();
    const hasLock = async () => {
      const { rows } = await sql`
        select from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and classid::bigint = ${NODE_LOCKS}
          and objid::bigint = ${number} and backend_start > ${cutAt}
          and pg_locks.database = (select oid from pg_database where datname = current_database())`.execute(
        other,
      );
      return rows.length > 0;
    };
    await eventually('it has its lock', hasLock, Boolean, 30_000);
    for (const state of [cut, other]) await state.destroy();

    async function now() {
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(other);
      return rows[0]?.now ?? assert.fail();
    }
  });

  it('reports a server that was taken over, although a lock delays the next one', async () => {
    const url = await postgres.createDatabase();
    await (await openTeamState(url)).destroy();
    const [client, busy] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([client.connect(), busy.connect()]);
    await client.query('delete from nodes');
    const add = async (expires: string) => {
      const insert = 'insert into nodes (expires_at, deployments) values ($1, $2) returning number';
      const { rows } = await client.query<{ number: string }>(insert, [expires, '{}']);
      return Number(rows[0]?.number);
    };
    const [own, free, locked] = [await add('infinity'), await add('-infinity'), await add('-infinity')];
    await busy.query('begin');
    await busy.query('select from nodes where number = $1 for update', [locked]);
    const isThere = async () =>
      (await client.query('select from nodes where number = $1', [free])).rowCount === 1;
    const heirs: ReadonlySet<string>[] = [];
    // The order is random, so the locked one may be the first several times.
    while (await isThere()) {
      const taking = takeOver(client, own, { alsoSilent: false, onTaken: (some) => heirs.push(some) });
      await assert.rejects(taking, /lock timeout/);
    }
    assert.deepEqual(heirs, [new Set([String(own)])]);
    await Promise.all([client.end(), busy.end()]);
  });
});
