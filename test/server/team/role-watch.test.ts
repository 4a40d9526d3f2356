import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { ALL_ROLES, type Roles, readRoles } from '../../../src/server/roles.ts';
import { RoleWatch } from '../../../src/server/team/role-watch.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { openTeamState } from '../../support/team-state.ts';

describe('roles that no server in a team has', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  async function startServer(url: string, roles: Roles, agent?: string) {
    const db = await openTeamState(url);
    const said: string[] = [];
    const logger = { warn: (_: unknown, message?: string) => void said.push(message ?? '') };
    const watch = await RoleWatch.start({ db, roles, agent, logger });
    return {
      db,
      look: async () => {
        await watch.look();
        return said.splice(0);
      },
      end: async () => {
        watch.close();
        await db.destroy();
      },
    };
  }

  it('are logged once with what does not happen without them, until other roles are missing', async () => {
    const url = await postgres.createDatabase();
    const front = await startServer(url, readRoles('api'));
    const [said] = await front.look();
    assert.equal(
      said,
      'No server of the team has the role runs, builds, traces: runs that are accepted wait; revisions that are deployed wait; traces are refused, and purges that were accepted wait. Start one with --roles runs,builds,traces, or add it to the roles of a running server.',
    );
    assert.deepEqual(await front.look(), []);
    const worker = await startServer(url, readRoles('runs,builds'));
    assert.match((await front.look())[0] ?? '', /has the role traces: traces are refused/);
    assert.match((await worker.look())[0] ?? '', /has the role traces: /);
    const tracer = await startServer(url, readRoles('traces'));
    for (const server of [front, worker, tracer]) assert.deepEqual(await server.look(), []);
    for (const server of [front, worker, tracer]) await server.end();
  });

  it('are not reported where servers that build also answer requests, nor while a server of an earlier version is there', async () => {
    const url = await postgres.createDatabase();
    const worker = await startServer(url, readRoles('runs,builds,traces'));
    assert.deepEqual(await worker.look(), []);
    const tracer = await startServer(url, readRoles('traces'));
    await worker.end();
    assert.match(
      (await tracer.look())[0] ?? '',
      /requests to deployments and to the control plane are refused/,
    );
    const earlier = await openTeamState(url);
    assert.deepEqual(await tracer.look(), []);
    await earlier.destroy();
    await tracer.end();
  });

  it('are not reported right after an outage of PostgreSQL, before any other server has been heard again', async () => {
    const url = await postgres.createDatabase();
    const server = await startServer(url, ALL_ROLES);
    await sql`update nodes set expires_at = clock_timestamp() - interval '1 second'`.execute(server.db);
    assert.deepEqual(await server.look(), []);
    await server.end();
  });

  it('are those for the same agent, about which servers of other agents and of the platform know nothing', async () => {
    const url = await postgres.createDatabase();
    const platform = await startServer(url, ALL_ROLES);
    const other = await startServer(url, new Set(['api', 'runs', 'traces']), 'another');
    const front = await startServer(url, new Set(['api', 'traces']), 'research');
    assert.match((await front.look())[0] ?? '', /^No server of the team has the role runs: /);
    assert.deepEqual(await other.look(), []);
    await platform.end();
    const tracesOnly = await startServer(url, readRoles('traces'));
    assert.match((await tracesOnly.look())[0] ?? '', /the role api, runs, builds: /);
    const number = Number(front.db.node);
    const noted = sql<{ roles: string[] }>`select roles from nodes where number = ${number}`;
    assert.deepEqual((await noted.execute(front.db)).rows, [
      { roles: ['agent research: api', 'agent research: traces'] },
    ]);
    for (const server of [other, front, tracesOnly]) await server.end();
  });
});
