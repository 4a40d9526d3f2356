import assert from 'node:assert/strict';
import pg from 'pg';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { eventually } from '../support/wait.ts';

/** The number of simultaneous requests, as many as the connections that a server has for them. */
const REQUESTS = 8;

describe('GET /ready of a server of a team', function () {
  this.timeout(120_000);
  let postgres: OwnPostgres;
  let database: string;
  let served: ServedProject;
  before(async function () {
    postgres = await requireOwnPostgres(this);
    database = await postgres.createDatabase();
    served = await serveProject({ database });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const statuses = () =>
    Promise.all([served.url, served.platformUrl].map(async (url) => (await fetch(`${url}/ready`)).status));

  /** Answered regardless of the database. */
  const metrics = async () => {
    const answer = await fetch(`${served.url}/metrics`);
    assert.equal(answer.status, 200);
    return answer.text();
  };

  it('does not wait for a database that is busy', async () => {
    await eventually('it is ready', statuses, (all) => all.every((status) => status === 200), 60_000);
    const [holder, admin] = [new pg.Client(database), new pg.Client(database)];
    await Promise.all([holder.connect(), admin.connect()]);
    await holder.query('begin');
    await holder.query('lock table threads in access exclusive mode');
    let answered = 0;
    const waiting = Array.from({ length: REQUESTS }, async () => {
      await fetch(`${served.url}/threads/${crypto.randomUUID()}`);
      answered++;
    });
    await eventually('all connections wait', async () => {
      const { rowCount } = await admin.query(
        "select from pg_locks where not granted and locktype = 'relation'",
      );
      return rowCount === REQUESTS;
    });
    assert.deepEqual(await statuses(), [200, 200]);
    assert.equal(answered, 0);
    await holder.query('commit');
    await Promise.all(waiting);
    await Promise.all([holder.end(), admin.end()]);
  });

  it('is 503 while the database cannot be reached, and 200 again after that', async () => {
    await postgres.stop();
    await eventually('it is not ready', statuses, (all) => all.every((status) => status === 503));
    assert.match(await metrics(), /^harbor_database_up 0$/m);
    await postgres.start();
    await eventually('it is ready', statuses, (all) => all.every((status) => status === 200), 60_000);
  });

  it('has metrics beside it, with the age of the oldest snapshot, at one path only', async () => {
    const dump = new pg.Client(database);
    await dump.connect();
    await dump.query('begin isolation level repeatable read');
    await dump.query('select 1');
    for (let transaction = 0; transaction < 50; transaction++)
      await fetch(`${served.url}/threads`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    const text = await metrics();
    const [, age] = /^harbor_database_oldest_snapshot_transactions (\d+)$/m.exec(text) ?? [];
    assert.ok(Number(age) >= 50, text);
    const [, seconds] = /^harbor_database_oldest_snapshot_seconds ([\d.]+)$/m.exec(text) ?? [];
    assert.ok(Number(seconds) > 0, text);
    for (const line of [
      /^harbor_database_up 1$/m,
      /^harbor_servers 1$/m,
      /^harbor_database_dead_rows\{schema="public"\} \d+$/m,
      /^harbor_database_connections\{state="idle"\} \d+$/m,
      /^harbor_database_read_duration_seconds_count [1-9]/m,
      /^harbor_database_write_duration_seconds_count [1-9]/m,
      /^harbor_database_connection_wait_seconds_count [1-9]/m,
      /^harbor_request_duration_seconds_count\{at="agent",status="2xx"\} [1-9]/m,
      /^harbor_request_duration_seconds_count\{at="agent",status="5xx"\} [1-9]/m,
    ])
      assert.match(text, line);
    await dump.end();
    for (const path of ['//metrics', '/metrics/', '///metrics?format=json'])
      for (const url of [served.url, served.platformUrl])
        assert.equal((await fetch(`${url}${path}`, { headers: { 'x-api-key': served.apiKey } })).status, 404);
  });
});
