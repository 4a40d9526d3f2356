import assert from 'node:assert/strict';
import pg from 'pg';
import { type PgBouncer, requirePgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { makeTeam, type Team } from '../support/team.ts';
import { eventually } from '../support/wait.ts';

describe('servers of a team, behind PgBouncer and with limits that a DBA has set,', function () {
  this.timeout(180_000);
  let postgres: Postgres;
  let pooler: PgBouncer;
  let team: Team;
  let admin: pg.Client;
  before(async function () {
    const programs = await requirePgBouncer(this);
    postgres = await requirePostgres(this);
    const url = await postgres.createDatabase();
    admin = new pg.Client(url);
    await admin.connect();
    for (const limit of ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'])
      await admin.query(`alter database ${new URL(url).pathname.slice(1)} set ${limit} = '500ms'`);
    pooler = await startPgBouncer(programs, url, ['pool_mode = session', 'default_pool_size = 60']);
    team = await makeTeam(pooler.over(url));
  });
  after(async () => {
    await team?.[Symbol.asyncDispose]();
    await admin?.end();
    await pooler?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('continue the runs of a killed server, and wait for a table that is locked', async () => {
    const [killed, other] = [await team.start(), await team.start()];
    const { threadId, runId } = await team.begin(killed);
    process.kill(killed.pid, 'SIGKILL');
    await admin.query('begin');
    await admin.query('lock table checkpoints in access exclusive mode');
    await team.letGo();
    await eventually(
      'something waits for the table',
      async () => {
        const { rows } = await admin.query(
          "select from pg_locks where not granted and locktype = 'relation'",
        );
        return rows.length;
      },
      Boolean,
      60_000,
    );
    // Waits for longer than the limit.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await admin.query('commit');
    await other.client.runs.join(threadId, runId);
    const { status } = await other.client.runs.get(threadId, runId);
    assert.equal(status, 'success');
    const { values } = await other.client.threads.getState<{ steps: string[] }>(threadId);
    assert.deepEqual(values.steps, ['first', 'second']);
  });

  it('keep traces in a separate schema', async () => {
    const { rows } = await admin.query("select schemaname from pg_tables where tablename = 'feedback'");
    assert.deepEqual(rows, [{ schemaname: 'harbor_traces' }]);
  });
});
