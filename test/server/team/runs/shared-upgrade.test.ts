import assert from 'node:assert/strict';
import { type Kysely, sql } from 'kysely';
import { RunCreate } from '../../../../src/contract/agent-server/runs.ts';
import { NOBODY } from '../../../../src/server/agent-server/auth/run-author.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { migrations } from '../../../../src/server/team/postgres/postgres-state.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { Executions, makeScheduler } from '../../../support/run-scheduler.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

/** A later version might add these: columns of the tables that every run touches. */
const LATER = {
  ...migrations,
  '0099-later': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const table of ['runs', 'threads', 'run_events', 'nodes', 'node_lanes']) {
        await sql.raw(`alter table ${table} add column later text not null default ''`).execute(db);
      }
    },
  },
};

/** The tables from before copies of threads shared rows. */
const EARLIER = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0009'));

type Server = ReturnType<typeof makeScheduler>;

describe('a server of a team whose tables a later version has updated', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  async function serve(db: StateDatabase, executions: Executions): Promise<Server> {
    const server = makeScheduler(db, executions);
    await db.serve(DEPLOYMENT);
    await server.scheduler.recover();
    return server;
  }
  const addThread = async ({ threads, db }: Server) => {
    const row = threads.makeRow(crypto.randomUUID(), {});
    await db.commit((unit) => threads.insert(unit, row), row.thread_id);
    return row.thread_id;
  };
  const accept = ({ requests }: Server, threadId: string) => {
    const body = { ...RunCreate.parse({ assistant_id: 'a', input: {} }), after_seconds: null };
    return requests.createOnThread(threadId, body, NOBODY);
  };

  it('is ended before the first server of a version whose rows it would misread', async () => {
    const url = await postgres.createDatabase();
    const older = await openTeamState(url, { known: EARLIER });
    for (let attempts = 0; attempts < 2; attempts++)
      await assert.rejects(openTeamState(url), {
        name: 'DataFolderError',
        message: /^Servers of an earlier version use this database, and would misread/,
      });
    const { rows } = await sql`select to_regclass('histories') as made`.execute(older);
    assert.deepEqual(rows, [{ made: null }]);
    await older.destroy();
    const newer = await openTeamState(url);
    await (await openTeamState(url)).destroy();
    await newer.destroy();
  });

  it('keeps working, takes and hands over runs, leaves them to the new server, and is refused when it starts again', async () => {
    const url = await postgres.createDatabase();
    await using made = await deploymentDatabase({ postgres: url });
    const executions = new Executions();
    const older = await serve(await openTeamState(url), executions);
    const endAll = () => executions.endThose(() => true);

    const [before, during] = [await addThread(older), await addThread(older)];
    const warm = await accept(older, before);
    endAll();
    assert.equal((await warm.outcome).status, 'success');
    const running = await accept(older, during);
    const newer = await serve(await openTeamState(url, { known: LATER }), executions);

    await running.stream.append([['values', '{"a":1}']]);
    const handed = await accept(newer, during);
    const own = await accept(older, before);
    const theirs = await addThread(newer);
    const first = await accept(newer, theirs);
    const taken = await accept(older, theirs);
    const all = [running, handed, own, first, taken];
    const owners = await made.db
      .selectFrom('runs')
      .select(['run_id', 'lease_owner'])
      .where(
        'run_id',
        'in',
        all.map(({ identity }) => identity.runId),
      )
      .execute();
    const ownerOf = (run: (typeof all)[number]) =>
      owners.find(({ run_id }) => run_id === run.identity.runId)?.lease_owner;
    assert.deepEqual(all.map(ownerOf), [
      older.db.node,
      older.db.node,
      older.db.node,
      newer.db.node,
      newer.db.node,
    ]);
    await eventually(
      'all have ended',
      async () => {
        endAll();
        const rows = await made.db.selectFrom('runs').select('status').execute();
        return rows.every(({ status }) => status === 'success');
      },
      Boolean,
      30_000,
    );
    for (const run of all) assert.equal((await run.outcome).status, 'success');
    const cutOff = await accept(older, before);
    const waiting = await accept(older, before);
    await eventually('it is executed', () => executions.isExecuting(cutOff));
    await older.db.drain();
    const drained = older.scheduler.drain(new AbortController().signal);
    older.scheduler.leaveAfterStep(cutOff);
    await eventually(
      'the new server ends them',
      async () => {
        endAll();
        return (await newer.runs.require(waiting.identity.runId)).status;
      },
      (status) => status === 'success',
      30_000,
    );
    await drained;
    for (const run of [cutOff, waiting]) assert.equal((await run.outcome).status, 'success');
    assert.deepEqual([...older.failures, ...newer.failures], []);
    await older.scheduler.close();
    await older.db.destroy();
    await assert.rejects(openTeamState(url), /written by a newer version of Agent Harbor/);
    await newer.scheduler.close();
    await newer.db.destroy();
  });
});
