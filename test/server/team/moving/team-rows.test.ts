import assert from 'node:assert/strict';
import pg from 'pg';
import { TeamDatabase } from '../../../../src/server/team/moving/team-database.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { tcpProxy } from '../../../support/tcp-proxy.ts';

const ROWS = 40;
const ROW_BYTES = 1_000_000;
const KEY = ['thread_id', 'run_id', 'ordinal', 'part'];

describe('rows of a team that are moved', () => {
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('are read a few at a time if they are megabytes large, and all of them in order', async function () {
    this.timeout(60_000);
    const url = new URL(await postgres.createDatabase());
    let received = 0;
    const count = (data: Buffer) => {
      received += data.length;
      return data;
    };
    await using proxy = await tcpProxy(postgres.port, { filter: () => count });
    url.port = String(proxy.port);
    const team = await TeamDatabase.connect(url.href);
    try {
      await team.begin(url.href, { source: 'a folder' });
      const client = new pg.Client(url.href);
      await client.connect();
      // Without the threads that they refer to.
      await client.query('set session_replication_role = replica');
      await client.query(
        `insert into exchange_parts (thread_id, run_id, ordinal, part, data)
         select 'thread', 'run', 1, part, repeat('x', ${ROW_BYTES}) from generate_series(1, ${ROWS}) as part`,
      );
      await client.end();
      const columns = [...KEY, 'data'].map((name) => ({ name, keyPlace: KEY.indexOf(name) + 1 }));
      const before = received;
      const parts = [];
      for await (const row of team.rows('exchange_parts', columns)) {
        parts.push(row.part);
        if (parts.length === 1) assert.ok(received - before < 8 * ROW_BYTES, `${received - before} bytes`);
      }
      assert.ok(received - before > ROWS * ROW_BYTES);
      assert.deepEqual(
        parts,
        Array.from({ length: ROWS }, (_, at) => at + 1),
      );
    } finally {
      await team.close();
    }
  });
});
