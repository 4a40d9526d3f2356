import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { countAnotherRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { isRefused } from '../../../../src/server/storage/refused.ts';
import type { Write } from '../../../../src/server/storage/unit.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { httpPeer } from '../../../support/http-peer.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { Executions } from '../../../support/run-scheduler.ts';
import { acceptRun, makeThread, type SharedServer, startServers } from '../../../support/shared-servers.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';
import { webhookOutbox, webhookRow } from '../../../support/webhook-outbox.ts';

describe('servers that share a database, when two things happen at once', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  let url: string;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    url = await postgres.createDatabase();
    made = await deploymentDatabase({ postgres: url });
  });
  afterEach(() => made?.[Symbol.asyncDispose]());

  const open = () => openTeamState(url);
  const close = async (servers: readonly SharedServer[]) => {
    for (const { scheduler, db } of servers) {
      await scheduler.close();
      await db.destroy();
    }
  };

  it('leave runs to a server that joins when there was none to leave them to', async () => {
    const executions = new Executions();
    const [ending] = await startServers([await open()], executions, 0);
    assert.ok(ending);
    const run = await acceptRun(ending, await makeThread(ending));
    await ending.db.drain();
    await ending.scheduler.drain(new AbortController().signal);
    const [heir] = await startServers([await open()], executions);
    assert.ok(heir);
    await eventually('the new server executes it', () => executions.started.length === 1, Boolean, 20_000);
    executions.endThose(() => true);
    assert.equal((await run.outcome).status, 'success');
    await close([ending, heir]);
  });

  it('end a run that is canceled just while it is left to another server, if no other can take it', async () => {
    const executions = new Executions();
    const [ending] = await startServers([await open()], executions);
    assert.ok(ending);
    const run = await acceptRun(ending, await makeThread(ending));
    await ending.db.drain();
    void ending.scheduler.drain(new AbortController().signal);
    ending.scheduler.leaveAfterStep(run);
    await ending.scheduler.cancel(run, 'interrupt', undefined);
    assert.equal((await run.outcome).status, 'interrupted');
    const { status } = await ending.runs.require(run.identity.runId);
    assert.equal(status, 'interrupted');
    await close([ending]);
  });

  it('try again if storing that a run is pending fails at first', async () => {
    const executions = new Executions();
    const db = await open();
    const [ending] = await startServers([db], executions);
    assert.ok(ending);
    const threadId = await makeThread(ending);
    const run = await acceptRun(ending, threadId);
    await db.drain();
    void ending.scheduler.drain(new AbortController().signal);
    const commit = db.commit.bind(db);
    let refused = 0;
    db.commit = (write, subject, waiting) =>
      subject === threadId && refused++ === 0
        ? Promise.reject(new Error('not now'))
        : commit(write, subject, waiting);
    ending.scheduler.leaveAfterStep(run);
    const isPending = async () => (await ending.runs.require(run.identity.runId)).status === 'pending';
    await eventually('it is stored', isPending, Boolean, 20_000);
    assert.equal(refused, 2);
    await close([ending]);
  });

  it('ask only once for a server to leave runs to when there is none, however many threads have some', async () => {
    const executions = new Executions();
    const db = await open();
    const [ending] = await startServers([db], executions, 0);
    assert.ok(ending);
    for (let threads = 0; threads < 3; threads++) await acceptRun(ending, await makeThread(ending));
    await db.drain();
    const findHeir = db.findHeir.bind(db);
    let asked = 0;
    db.findHeir = (deploymentId) => {
      asked++;
      return findHeir(deploymentId);
    };
    await ending.scheduler.drain(new AbortController().signal);
    assert.equal(asked, 1);
    await close([ending]);
  });

  it('continue the runs of a thread in the order of their acceptance, whatever the clocks of servers say', async () => {
    const executions = new Executions();
    const [ending, heir] = await startServers([await open(), await open()], executions, 1);
    assert.ok(ending && heir);
    const threadId = await makeThread(ending);
    const runs = [
      await acceptRun(ending, threadId),
      await acceptRun(ending, threadId),
      await acceptRun(ending, threadId),
    ];
    const [, second] = runs;
    // The second run looks as if a server with a fast clock had accepted it.
    await made.db
      .updateTable('runs')
      .set({ created_at: new Date(Date.now() + 60_000).toISOString() })
      .where('run_id', '=', second?.identity.runId ?? '')
      .execute();
    await ending.db.drain();
    void ending.scheduler.drain(new AbortController().signal);
    executions.endThose(() => true);
    await eventually(
      'all have ended',
      async () => {
        executions.endThose(() => true);
        return executions.started.length === 3;
      },
      Boolean,
      30_000,
    );
    executions.endThose(() => true);
    for (const run of runs) assert.equal((await run.outcome).status, 'success');
    assert.deepEqual(
      executions.started.map(({ identity }) => identity.runId),
      runs.map(({ identity }) => identity.runId),
    );
    await close([ending, heir]);
  });

  it('start no run that another server has, when giving it away was stored late and the answer was lost', async () => {
    const executions = new Executions();
    const db = await open();
    const [front, heir] = await startServers([db, await open()], executions, 1);
    assert.ok(front && heir);
    const busy = await acceptRun(front, await makeThread(front));
    const elsewhere = await acceptRun(heir, await makeThread(heir));
    const threadId = await makeThread(front);
    const run = await acceptRun(front, threadId);
    const commit = db.commit.bind(db);
    let given: Write | undefined;
    db.commit = (write, subject, waiting) => {
      if (subject !== threadId || given !== undefined) return commit(write, subject, waiting);
      given = write;
      return Promise.reject(new DatabaseUnreachable());
    };
    const offer = { from: heir.db.node, to: front.db.node, free: 1 };
    db.bus.hear(JSON.stringify({ from: 'the heir', subject: `slots:${DEPLOYMENT}`, news: offer }));
    const taken = () => front.live.find(run.identity.runId);
    await eventually('it is taken on again', () => (taken() ?? run) !== run, Boolean, 20_000);
    await commit(given ?? assert.fail(), threadId);
    const hasHeir = () => heir.live.find(run.identity.runId) !== undefined;
    await eventually('the heir has it', hasHeir, Boolean, 20_000);
    // The slot of the first server becomes free, and then that of the heir.
    executions.endThose((one) => one === busy);
    await eventually('one of them executes it', () => executions.started.length === 3, Boolean, 20_000);
    executions.endThose((one) => one === elsewhere);
    await eventually('the heir has given it back', hasHeir, (has) => !has, 20_000);
    executions.endThose(() => true);
    for (const one of [busy, elsewhere, run]) assert.equal((await one.outcome).status, 'success');
    assert.equal(executions.started.length, 3);
    for (const { failures } of [front, heir]) assert.deepEqual(failures, []);
    await close([front, heir]);
  });

  it('end a run as failed, and do not execute it again, when its result cannot be stored', async () => {
    const executions = new Executions();
    const [server] = await startServers([await open()], executions);
    assert.ok(server);
    const threadId = await makeThread(server);
    await sql`create function refuse() returns trigger language plpgsql
      as 'begin raise exception $$too large$$; end'`.execute(made.db);
    await sql`create trigger refusing before update on threads
      for each row when (new."values" is not null) execute function refuse()`.execute(made.db);
    const run = await acceptRun(server, threadId);
    executions.endThose(() => true);
    assert.equal((await run.outcome).error?.error, 'StorageError');
    const row = await server.runs.require(run.identity.runId);
    assert.deepEqual([row.status, row.error], ['error', '{"error":"StorageError","message":"too large"}']);
    const thread = await server.threads.find(threadId);
    assert.equal(thread?.status, 'error');
    await close([server]);
  });

  it('wait for room on the disk of the database to store the result of a run', async () => {
    const executions = new Executions();
    const [server] = await startServers([await open()], executions);
    assert.ok(server);
    const threadId = await makeThread(server);
    await sql`create sequence refused`.execute(made.db);
    await sql`create function refuse() returns trigger language plpgsql
      as 'begin perform nextval($$refused$$); raise exception $$no room$$ using errcode = $$53100$$; end'`.execute(
      made.db,
    );
    await sql`create trigger refusing before update on threads
      for each row when (new."values" is not null) execute function refuse()`.execute(made.db);
    const run = await acceptRun(server, threadId);
    executions.endThose(() => true);
    await eventually('it was refused twice', async () => {
      const { rows } = await sql<{ times: number }>`select last_value::int as times from refused`.execute(
        made.db,
      );
      return (rows[0]?.times ?? 0) >= 2;
    });
    await sql`drop trigger refusing on threads`.execute(made.db);
    assert.equal((await run.outcome).status, 'success');
    assert.equal((await server.runs.require(run.identity.runId)).status, 'success');
    await close([server]);
  });

  it('have the others deliver, at their next look, a webhook that a server was delivering when it ended', async () => {
    // The receiver of the webhook never answers.
    await using peer = await httpPeer(() => {});
    const db = await open();
    const webhook = webhookRow(peer.url);
    await made.db.insertInto('webhooks').values(webhook).execute();
    const ending = webhookOutbox(db);
    ending.start();
    await eventually('it is sent', () => peer.seen.length === 1);
    await ending.close();
    const [left] = await made.db.selectFrom('webhooks').selectAll().execute();
    assert.deepEqual({ ...left }, webhook);
    await db.destroy();
  });

  it('cancel runs for each other, even those that they have first seen waiting', async () => {
    const executions = new Executions();
    const [one, other] = await startServers([await open(), await open()], executions, 1);
    assert.ok(one && other);
    const threadId = await makeThread(one);
    const first = await acceptRun(one, threadId);
    const second = await acceptRun(other, threadId);
    const third = await acceptRun(other, threadId);
    executions.endThose((run) => run === first);
    const isExecuted = () => executions.started.length === 2;
    await eventually('the second one is executed', isExecuted, Boolean, 20_000);
    const idOf = ({ identity }: typeof first) => identity.runId;
    const pending = await other.runs.cancelMany({ threadId, status: 'pending' }, 'interrupt', undefined);
    assert.deepEqual(pending.map(idOf), [idOf(third)]);
    const running = await other.runs.cancelMany({ threadId, status: 'running' }, 'interrupt', undefined);
    assert.deepEqual(running.map(idOf), [idOf(second)]);
    assert.equal((await second.outcome).status, 'interrupted');
    await close([one, other]);
  });

  it('cancel a run on the server that is asked, even if its start is still being stored', async () => {
    const executions = new Executions();
    const db = await open();
    const [server] = await startServers([db], executions, 1);
    assert.ok(server);
    const first = await acceptRun(server, await makeThread(server));
    const threadId = await makeThread(server);
    const second = await acceptRun(server, threadId);
    const commit = db.commit.bind(db);
    const storing = Promise.withResolvers<void>();
    db.commit = async (write, subject, waiting) => {
      if (subject === threadId) await storing.promise;
      return commit(write, subject, waiting);
    };
    executions.endThose((run) => run === first);
    await eventually('it has the slot', () => second.state === 'running');
    const canceling = (['pending', 'running'] as const).map((status) =>
      server.runs.cancelMany({ threadId, status }, 'interrupt', undefined),
    );
    await eventually('it is canceled', () => second.cancelled !== undefined);
    storing.resolve();
    assert.deepEqual(await Promise.all(canceling), [[], [second]]);
    assert.equal((await second.outcome).status, 'interrupted');
    await close([server]);
  });

  it('release a waiting run that another server has, and cancel it there', async () => {
    const executions = new Executions();
    const [front] = await startServers([await open()], executions, 0);
    assert.ok(front);
    const run = await acceptRun(front, await makeThread(front));
    const heirState = await open();
    const [heir] = await startServers([heirState], executions, 0);
    assert.ok(heir);
    // The run is given away as by a unit that succeeded although this server believes that it failed.
    await heirState.updateTable('runs').set({ lease_owner: heirState.node }).execute();
    front.db.bus.hint(`node:${front.db.node}`);
    const isOf = ({ live }: SharedServer) => live.find(run.identity.runId) !== undefined;
    await eventually('the first server gives it up', () => !isOf(front));
    heirState.bus.hint(`node:${heirState.node}`);
    await eventually('the heir has it', () => isOf(heir));
    await front.scheduler.cancel(run, 'interrupt', undefined);
    assert.equal((await run.outcome).status, 'interrupted');
    assert.ok(!isOf(heir));
    await close([front, heir]);
  });

  it('pass the remaining runs of a deployment to a server that serves it when another one stops serving it', async () => {
    const executions = new Executions();
    const [ending] = await startServers([await open()], executions, 0);
    assert.ok(ending);
    const run = await acceptRun(ending, await makeThread(ending));
    await ending.scheduler.close();
    const [heir] = await startServers([await open()], executions);
    assert.ok(heir);
    await ending.db.stopServing(DEPLOYMENT);
    const status = async () => {
      executions.endThose(() => true);
      return (await heir.runs.require(run.identity.runId)).status;
    };
    await eventually('the run has ended', status, (now) => now === 'success');
    await close([ending, heir]);
  });

  it('neither hand nor give runs to a server that does not serve their deployment', async () => {
    const [server] = await startServers([await open()], new Executions(), 0);
    assert.ok(server);
    const elsewhere = await open();
    await elsewhere.serve('another');
    const threadId = await makeThread(server);
    const { identity } = await acceptRun(server, threadId);
    const isStale = (error: unknown) => isRefused(error, 'stale');
    await assert.rejects(server.sharing.handOver(threadId, elsewhere.node), isStale);
    const seen = await server.sharing.readHolder(threadId);
    const another = { ...identity, runId: crypto.randomUUID() };
    const count: Write = (unit) => unit.run(countAnotherRun, { thread_id: threadId });
    await assert.rejects(server.sharing.storeForOther(another, seen, elsewhere.node, count), isStale);
    assert.deepEqual(
      (await server.sharing.listOwn()).map(({ run_id }) => run_id),
      [identity.runId],
    );
    await close([server]);
    await elsewhere.destroy();
  });

  it('keep a run handed to a server that is handing its own runs to others', async () => {
    const executions = new Executions();
    const [ending, other] = await startServers([await open(), await open()], executions);
    assert.ok(ending && other);
    const threadId = await makeThread(ending);
    const seen = await other.sharing.readHolder(threadId);
    // Neither of them can take the runs of the other one.
    for (const { db } of [ending, other]) await db.drain();
    await ending.scheduler.drain(new AbortController().signal);
    const { identity } = await acceptRun(other, await makeThread(other));
    const handed = { ...identity, runId: crypto.randomUUID(), threadId };
    await other.sharing.storeForOther(handed, seen, ending.db.node, (unit) =>
      unit.run(countAnotherRun, { thread_id: threadId }),
    );
    await assert.rejects(acceptRun(ending, threadId, { multitask_strategy: 'reject' }), { status: 409 });
    const next = await acceptRun(ending, threadId, { multitask_strategy: 'interrupt' });
    const rows = await ending.db.selectFrom('runs').selectAll().where('thread_id', '=', threadId).execute();
    assert.deepEqual(
      rows.map(({ run_id, cancel_action, status }) => [run_id, cancel_action, status]),
      [
        [handed.runId, 'interrupt', 'pending'],
        [next.identity.runId, null, 'pending'],
      ],
    );
    await close([ending, other]);
  });
});
