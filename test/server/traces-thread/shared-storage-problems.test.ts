import assert from 'node:assert/strict';
import pg from 'pg';
import { TRACES_SCHEMA } from '../../../src/server/team/traces/traces-tables.ts';
import { startPlatform } from '../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';
import { tracesDatabaseOf } from '../../support/traces-database.ts';

describe('traces that PostgreSQL cannot take now', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('are refused with advice for their sender', async () => {
    const traces = await tracesDatabaseOf(postgres);
    const platform = await startPlatform({ traces });
    const client = new pg.Client(traces.url);
    try {
      await client.connect();
      const send = () => sendParts(platform, postParts(newRun()));
      const refuseWith = (code: string) =>
        client.query(`create or replace function public.refuse() returns trigger language plpgsql
          as 'begin raise exception $$not now$$ using errcode = $$${code}$$; end'`);
      await refuseWith('53100');
      await client.query(`create trigger refuse before insert on ${TRACES_SCHEMA}.runs
        for each row execute function public.refuse()`);
      const full = await send();
      assert.equal(full.status, 507);
      assert.match(await full.text(), /The disk of the database is full/);
      await refuseWith('40P01');
      assert.equal((await send()).status, 503);
      await client.query(`drop trigger refuse on ${TRACES_SCHEMA}.runs`);
      assert.equal((await send()).status, 202);
    } finally {
      await client.end();
      await platform.close();
    }
  });
});
