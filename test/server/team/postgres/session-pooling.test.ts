import assert from 'node:assert/strict';
import pg from 'pg';
import { requireSessionPooling } from '../../../../src/server/team/postgres/session-pooling.ts';
import { type PgBouncer, requirePgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { tcpProxy } from '../../../support/tcp-proxy.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

describe('the state behind PgBouncer', function () {
  this.timeout(90_000);
  let postgres: Postgres;
  let start: (url: string, ...settings: readonly string[]) => Promise<PgBouncer>;
  before(async function () {
    const programs = await requirePgBouncer(this);
    postgres = await requirePostgres(this);
    start = (url, ...settings) => startPgBouncer(programs, url, settings);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('is shared by servers with their own sessions, and outlasts the end of these', async () => {
    const url = await postgres.createDatabase();
    await using pooler = await start(url, 'pool_mode = session', 'default_pool_size = 50');
    const [one, other] = [await openTeamState(pooler.over(url)), await openTeamState(pooler.over(url))];
    await one.commit((unit) => unit.do(unit.build.insertInto('settings').values({ name: 'a', value: '' })));
    let isHeard = false;
    other.bus.listen('news', () => {
      isHeard = true;
    });
    await eventually('one is notified by the other', () => {
      one.bus.tell('news', {});
      return isHeard;
    });
    const admin = new pg.Client(url);
    await admin.connect();
    const { rows } = await admin.query<{ count: string }>(
      "select count(*) from pg_locks where locktype = 'advisory' and objid = $1 and granted",
      [one.node],
    );
    assert.deepEqual(rows, [{ count: '1' }]);
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await one.commit((unit) => unit.do(unit.build.insertInto('settings').values({ name: 'b', value: '' })));
    assert.deepEqual(await one.listServers(), new Set([one.node, other.node]));
    await admin.end();
    await one.destroy();
    await other.destroy();
  });

  it('is refused when sessions are shared, with the setting to change', async () => {
    const url = await postgres.createDatabase();
    for (const mode of ['transaction', 'statement']) {
      await using pooler = await start(url, `pool_mode = ${mode}`, 'default_pool_size = 3');
      await assert.rejects(openTeamState(pooler.over(url)), (error: Error) => {
        assert.equal(error.name, 'DataFolderError');
        assert.match(error.message, /a pooler that shares sessions between clients .* pool_mode = session/);
        return true;
      });
    }
    const client = new pg.Client(url);
    await client.connect();
    assert.equal((await client.query("select from pg_tables where schemaname = 'public'")).rowCount, 0);
    await client.end();
  });

  it('is refused when no session is left, or when the pooler refuses a part of the URL', async () => {
    const url = await postgres.createDatabase();
    await using pooler = await start(url, 'pool_mode = session', 'default_pool_size = 1');
    await assert.rejects(
      openTeamState(pooler.over(url)),
      /may have no connection left: set default_pool_size/,
    );
    const withOptions = `${pooler.over(url)}?options=-c%20statement_timeout%3D0`;
    await assert.rejects(openTeamState(withOptions), /does not accept the parameter options in the URL/);
    await eventually('it is free again', async () => {
      const client = new pg.Client(pooler.over(url));
      await client.connect();
      await client.query('select 1');
      await client.end();
      return true;
    });
  });
});

describe('a database behind a slow network', function () {
  this.timeout(60_000);

  it('is accepted, however long all the checks of its sessions take together', async function () {
    await using postgres = await requirePostgres(this);
    const url = new URL(await postgres.createDatabase());
    await using proxy = await tcpProxy(Number(url.port), { delayMs: 400 });
    url.port = String(proxy.port);
    await requireSessionPooling(url.href, 'slow');
  });
});
