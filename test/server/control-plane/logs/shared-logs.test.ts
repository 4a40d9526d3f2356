import assert from 'node:assert/strict';
import pg from 'pg';
import { LogStore } from '../../../../src/server/control-plane/data/log-store.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

/** The lock that a line waits for in the middle of its transaction. */
const SLOW = 4711;
/** Lines get their numbers before, and are stored after it. */
const SLOW_LINES = `
create function wait_if_slow() returns trigger language plpgsql as $$
begin
  if new.message = 'slow' then perform pg_advisory_xact_lock(${SLOW}); end if;
  return null;
end $$;
create trigger slow_lines after insert on deployment_logs for each row execute function wait_if_slow();`;

describe('the log of a deployment on several servers', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('gives every reader each line, even of a server that was slow to store it', async () => {
    const url = await postgres.createDatabase();
    await using fixture = await deploymentDatabase({ postgres: url });
    const databases = [await openTeamState(url), await openTeamState(url)];
    const logger = makeLogger({ level: 'silent' });
    const [slow, fast, reader] = [...databases, fixture.db].map((db) => new LogStore(db, logger));
    assert.ok(slow && fast && reader);
    const admin = new pg.Client(url);
    await admin.connect();
    await admin.query(SLOW_LINES);
    await admin.query('select pg_advisory_lock($1)', [SLOW]);
    const waiting = async () => {
      const { rows } = await admin.query('select from pg_locks where not granted');
      return rows.length;
    };

    const place = { deploymentId: DEPLOYMENT, revisionId: 'r', stream: 'deploy' } as const;
    slow.write(place, 'INFO', 'slow');
    const storingSlow = slow.flush();
    await eventually('the slow line is being stored', async () => (await waiting()) === 1);
    fast.write(place, 'INFO', 'fast');
    let isStored = false;
    const storingFast = fast.flush().then(() => {
      isStored = true;
    });
    await eventually('the other one is stored, or waits', async () => isStored || (await waiting()) === 2);
    const query = { order: 'asc', limit: 100 } as const;
    const page = await reader.read(place, query);
    await admin.query('select pg_advisory_unlock($1)', [SLOW]);
    await Promise.all([storingSlow, storingFast]);
    const next = await reader.read(place, { ...query, offset: page.next_offset ?? undefined });
    const messages = [...page.logs, ...next.logs].map(({ message }) => message);
    assert.deepEqual(messages, ['slow', 'fast']);

    await admin.end();
    for (const db of databases) await db.destroy();
  });
});
