import assert from 'node:assert/strict';
import fc from 'fast-check';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { RunCreate } from '../../../../src/contract/agent-server/runs.ts';
import { NOBODY } from '../../../../src/server/agent-server/auth/run-author.ts';
import { countAnotherRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import type { LiveRun } from '../../../../src/server/agent-server/runs/live-run.ts';
import { HttpError } from '../../../../src/server/http/errors.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { takeOver } from '../../../../src/server/team/postgres/take-over.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { httpPeer } from '../../../support/http-peer.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { Executions } from '../../../support/run-scheduler.ts';
import {
  acceptRun as accept,
  type SharedServer as Scheduler,
  startServers,
  makeThread as thread,
} from '../../../support/shared-servers.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';
import { webhookOutbox, webhookRow } from '../../../support/webhook-outbox.ts';

const NODES = 3;
const THREADS = 4;
/** How many rounds of random clients there are; `npm run soak` sets a higher number. */
const ROUNDS = Number(process.env.SHARED_RUNS ?? 12);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      node: fc.nat(NODES - 1),
      thread: fc.nat(THREADS - 1),
      strategy: fc.constantFrom('enqueue', 'enqueue', 'enqueue', 'reject', 'interrupt', 'rollback'),
      delayed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), node: fc.nat(NODES - 1), which: fc.nat(9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('leave' as const), node: fc.nat(NODES - 1), early: fc.boolean() }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

describe('servers that share a database', function () {
  this.timeout(120_000 + ROUNDS * 5_000);
  let postgres: Postgres;
  let url: string;
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  before(async function () {
    postgres = await requirePostgres(this);
    url = await postgres.createDatabase();
    made = await deploymentDatabase({ postgres: url });
  });
  after(async () => {
    await made?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const statuses = (threadId: string) =>
    made.db.selectFrom('runs').select(['run_id', 'status']).where('thread_id', '=', threadId).execute();

  it('execute one run at a time per thread, in order, and strand none, whatever clients ask which server for, and whichever ends', async () => {
    const executions = new Executions();
    const own = await postgres.createDatabase();
    // This server serves nothing, so that it is given no runs.
    await using fixture = await deploymentDatabase({ postgres: own });
    const open = () => openTeamState(own);
    const databases = await Promise.all(Array.from({ length: NODES }, open));
    // One slot each, so that threads wait for one while other servers have it free.
    const servers = await startServers(databases, executions, 1);
    const at = (node: number): Scheduler => servers[node] ?? assert.fail();
    const play = async (clients: readonly (readonly Step[])[]) => {
      const ids = await Promise.all(Array.from({ length: THREADS }, () => thread(at(0))));
      const accepted: LiveRun[] = [];
      const left: Promise<void>[] = [];
      const replaced = new Set<Scheduler>();
      /** Shuts a server down, and starts another one in its place. */
      const replace = async (node: number, early: boolean) => {
        const server = at(node);
        if (replaced.has(server)) return;
        replaced.add(server);
        const [next] = await startServers([await open()], executions, 1);
        servers[node] = next ?? assert.fail();
        await server.db.drain();
        left.push(server.scheduler.drain(closing.signal));
        if (!early) return;
        for (const run of server.live.all()) {
          if (executions.isExecuting(run)) server.scheduler.leaveAfterStep(run);
        }
      };
      const closing = new AbortController();
      const perform = async (one: Step) => {
        if (one.do === 'leave') return replace(one.node, one.early);
        if (one.do === 'end') return executions.endThose(() => true);
        if (one.do === 'cancel') {
          const run = accepted[one.which % (accepted.length || 1)];
          if (run === undefined) return;
          const { runs } = at(one.node);
          const row = await runs.find(run.identity.runId);
          if (row !== undefined) await runs.cancel(row, 'interrupt', undefined);
          return;
        }
        const request = RunCreate.parse({
          assistant_id: 'a',
          input: {},
          multitask_strategy: one.strategy,
          ...(one.delayed ? { after_seconds: 0.002 } : {}),
        });
        try {
          accepted.push(await at(one.node).requests.createOnThread(ids[one.thread] ?? '', request, NOBODY));
        } catch (error) {
          if (!(error instanceof HttpError && error.status === 409)) throw error;
        }
      };
      await Promise.all(
        clients.map(async (steps) => {
          for (const one of steps) await perform(one);
        }),
      );
      const unfinished = async () =>
        fixture.db
          .selectFrom('runs')
          .select(['run_id', 'status', 'lease_owner'])
          .where('thread_id', 'in', ids)
          .where('status', 'in', ['pending', 'running'])
          .execute();
      await eventually(
        'all runs have ended',
        async () => {
          executions.endThose(() => true);
          return unfinished();
        },
        (rows) => rows.length === 0,
        30_000,
      );
      await Promise.all(accepted.map((run) => run.outcome));
      await Promise.all(left);
      const rows = await fixture.db
        .selectFrom('runs')
        .select(['run_id', 'thread_id', 'thread_order'])
        .where('thread_id', 'in', ids)
        .orderBy('thread_order')
        .execute();
      for (const id of ids) {
        const attempts = executions.started.filter(({ identity }) => identity.threadId === id);
        const numbered = new Set(attempts.map(({ identity, attempt }) => `${identity.runId} ${attempt}`));
        assert.equal(numbered.size, attempts.length, 'no attempt is started twice');
        // A run that was left to another server continues before any other of its thread.
        const inOrder = attempts.map(({ identity }) => identity.runId);
        const started = inOrder.filter((runId, index) => runId !== inOrder[index - 1]);
        assert.equal(new Set(started).size, started.length, 'no run is started again after another');
        const stored = rows.filter(({ run_id }) => started.includes(run_id)).map(({ run_id }) => run_id);
        assert.deepEqual(
          stored,
          started.filter((runId) => stored.includes(runId)),
        );
      }
      const busy = await fixture.db
        .selectFrom('threads')
        .select('thread_id')
        .where('thread_id', 'in', ids)
        .where('status', '=', 'busy')
        .execute();
      assert.deepEqual(busy, []);
      for (const { failures } of [...servers, ...replaced]) assert.deepEqual(failures, []);
      for (const { scheduler, db } of replaced) {
        await scheduler.close();
        await db.destroy();
      }
    };
    const clients = fc.array(fc.array(step, { maxLength: 6 }), { minLength: 2, maxLength: 4 });
    await fc.assert(fc.asyncProperty(clients, play), { numRuns: ROUNDS, endOnFailure: true });
    for (const { scheduler, db } of servers) {
      await scheduler.close();
      await db.destroy();
    }
  });

  it('keep the order in which the runs of a thread are acknowledged, whichever server does that', async () => {
    const executions = new Executions();
    const databases = [await openTeamState(url), await openTeamState(url)];
    const [one, other] = await startServers(databases, executions);
    assert.ok(one && other);
    const threadId = await thread(one);
    const accepted: string[] = [];
    for (let times = 0; times < 8; times++) {
      const run = await accept(times % 3 === 0 ? one : other, threadId);
      accepted.push(run.identity.runId);
    }
    for (let ended = 1; ended <= accepted.length; ended++) {
      await eventually('the next run starts', () => executions.started.length >= ended);
      executions.endThose(() => true);
    }
    assert.deepEqual(
      executions.started.map(({ identity }) => identity.runId),
      accepted,
    );
    for (const { scheduler } of [one, other]) await scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('start runs that wait for a slot wherever one is free, show them to their readers, and let the rest wait', async () => {
    const executions = new Executions();
    const databases = [await openTeamState(url), await openTeamState(url), await openTeamState(url)];
    const servers = await startServers(databases, executions, 2);
    const [busy] = servers;
    assert.ok(busy);
    const accepted: LiveRun[] = [];
    for (let threads = 0; threads < 7; threads++) {
      const threadId = await thread(busy);
      // The second run follows the first, wherever that is.
      for (let runs = 0; runs < 2; runs++) accepted.push(await accept(busy, threadId));
    }
    const firsts = accepted.filter((_, at) => at % 2 === 0);
    const startedIds = () => executions.started.map(({ identity }) => identity.runId);
    const isStarted = (at: number) => startedIds().includes(firsts[at]?.identity.runId ?? '');
    await eventually('all slots are taken', () => startedIds().length === 6, Boolean, 20_000);
    // The runs that have waited longest are started, except those that wait for another run of their thread.
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6].filter(isStarted), [0, 1, 2, 3, 4, 5]);
    const given = firsts[5] ?? assert.fail();
    const [elsewhere] = executions.started.filter(({ identity }) => identity.runId === given.identity.runId);
    assert.notEqual(elsewhere, given, 'another server executes it');
    await elsewhere?.stream.append([['values', '{"a":1}']]);
    const shown = () => given.stream.lastSeq === 2;
    await eventually('its reader gets it', shown, Boolean, 20_000);
    await eventually(
      'all have ended',
      async () => {
        executions.endThose(() => true);
        return executions.started.length === accepted.length;
      },
      Boolean,
      30_000,
    );
    executions.endThose(() => true);
    for (const run of accepted) assert.equal((await run.outcome).status, 'success');
    const handed = servers.map(({ meters }) =>
      meters.handovers.read().samples.map(({ labels, value }) => [labels?.direction, value] as const),
    );
    const sum = (direction: string) =>
      handed
        .flat()
        .filter(([of]) => of === direction)
        .reduce((total, [, value]) => total + value, 0);
    assert.ok(sum('given') >= 4, 'two servers had no other way to run two threads each');
    assert.equal(sum('taken'), sum('given'));
    for (const { scheduler } of servers) await scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('offer a slot once, however late a server looks for the run that it has been given', async () => {
    const executions = new Executions();
    const databases = [await openTeamState(url), await openTeamState(url)];
    const [, late] = databases;
    assert.ok(late);
    const next = late.bus.next.bind(late.bus);
    // Neither a hint nor a poll makes it look for runs.
    late.bus.next = (topic, signal) =>
      topic === `node:${late.node}`
        ? new Promise((ended) => signal.addEventListener('abort', () => ended()))
        : next(topic, signal);
    const [front] = await startServers(databases.slice(0, 1), executions, 0);
    const [worker] = await startServers(databases.slice(1), executions, 1);
    assert.ok(front && worker);
    const runs = [await accept(front, await thread(front)), await accept(front, await thread(front))];
    const ownedBy = async (node: string) => {
      const rows = await made.db
        .selectFrom('runs')
        .select('run_id')
        .where('lease_owner', '=', node)
        .execute();
      return rows.length;
    };
    await eventually(
      'the slot has a run, or more than it can',
      async () => executions.started.length > 0 || (await ownedBy(worker.db.node)) > 1,
      Boolean,
      20_000,
    );
    assert.equal(await ownedBy(front.db.node), 1, 'what has no slot is not given away');
    executions.endThose(() => true);
    await eventually('the other one is executed', () => executions.started.length === 2, Boolean, 20_000);
    executions.endThose(() => true);
    for (const run of runs) assert.equal((await run.outcome).status, 'success');
    for (const { scheduler } of [front, worker]) await scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('run what a server without slots accepts, while that server shows it to its readers', async () => {
    const executions = new Executions();
    const databases = [await openTeamState(url), await openTeamState(url)];
    const [front] = await startServers(databases.slice(0, 1), executions, 0);
    assert.ok(front);
    const runs = [await accept(front, await thread(front)), await accept(front, await thread(front))];
    const [worker] = await startServers(databases.slice(1), executions, 10);
    await eventually('both are executed', () => executions.started.length === 2, Boolean, 20_000);
    for (const run of executions.started) await run.stream.append([['values', '{"a":1}']]);
    const areShown = () => runs.every(({ stream }) => stream.lastSeq === 2);
    await eventually('they are shown where they were accepted', areShown, Boolean, 20_000);
    executions.endThose(() => true);
    for (const run of runs) assert.equal((await run.outcome).status, 'success');
    for (const server of [front, worker]) await server?.scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('show each other the events and the end of a run, and cancel it for each other, even without hints', async () => {
    const executions = new Executions();
    const databases = [await openTeamState(url), await openTeamState(url)];
    for (const db of databases) db.bus.hear = () => {};
    const [one, other] = await startServers(databases, executions);
    assert.ok(one && other);
    const threadId = await thread(one);
    const run = await accept(one, threadId);
    await run.stream.append([['values', '{"a":1}']]);
    const row = await other.runs.require(run.identity.runId);
    const followed = await other.runs.stream(row);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const events of followed.read(0, new AbortController().signal)) {
        seen.push(...events.map(({ event, seq }) => `${seq} ${event}`));
      }
    })();
    await eventually('the other server shows both events', () => seen.length === 2);
    await run.stream.append([['values', '{"a":2}']]);
    const waiting = await accept(other, threadId);
    await other.runs.cancel(await other.runs.require(waiting.identity.runId), 'interrupt', undefined);
    assert.equal((await waiting.outcome).status, 'interrupted');
    // The run is found before it is handed over, and canceled after.
    const handed = await accept(other, threadId);
    await eventually('it is handed over', () => one.live.find(handed.identity.runId) !== undefined);
    await one.scheduler.cancel(handed, 'interrupt', undefined);
    assert.equal((await handed.outcome).status, 'interrupted');
    await other.runs.cancel(row, 'interrupt', undefined);
    assert.equal((await run.outcome).status, 'interrupted');
    await reading;
    assert.deepEqual(seen, ['1 metadata', '2 values', '3 values']);
    await assert.doesNotReject(other.runs.waitForResult(row));
    for (const { scheduler } of [one, other]) await scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('deliver a webhook once, even one that an ended server has left', async () => {
    await using peer = await httpPeer((_, response) => void response.end());
    const databases = [await openTeamState(url), await openTeamState(url)];
    const names = ['a', 'b', 'c', 'd'];
    await made.db
      .insertInto('webhooks')
      .values(names.map((name) => webhookRow(`${peer.url}/${name}`)))
      .execute();
    const outboxes = databases.map((db) => webhookOutbox(db));
    for (const outbox of outboxes) outbox.start();
    await eventually('all webhooks are delivered', async () => {
      const left = await made.db.selectFrom('webhooks').select('webhook_id').execute();
      return left.length === 0;
    });
    await Promise.all(outboxes.map((outbox) => outbox.close()));
    assert.deepEqual(peer.seen.map(({ url }) => url).toSorted(), ['/a', '/b', '/c', '/d']);
    for (const db of databases) await db.destroy();
  });

  it('continue the runs of a silent server, whose writes are refused from then on', async () => {
    const [silent, heir] = [new Executions(), new Executions()];
    const lost = await openTeamState(url);
    const [before] = await startServers([lost], silent);
    const [after] = await startServers([made.db], heir);
    assert.ok(before && after);
    const threadId = await thread(before);
    const run = await accept(before, threadId);
    const next = await accept(after, threadId);
    await eventually('the run is executed', () => silent.started.length === 1);
    const admin = new pg.Client(url);
    await admin.connect();
    const silence = async () => {
      await admin.query(`update nodes set expires_at = '-infinity' where number = $1`, [Number(lost.node)]);
      return heir.started.length === 1;
    };
    await eventually('the other server executes it', silence, Boolean, 20_000);
    await assert.rejects(run.stream.append([['values', '{}']]), { name: 'DatabaseUnreachable' });
    assert.match((await lost.lost).message, /taken over/);
    heir.endThose(() => true);
    await eventually('the next run is executed', () => heir.started.length === 2);
    heir.endThose(() => true);
    assert.equal((await next.outcome).status, 'success');
    assert.deepEqual(
      heir.started.map(({ identity, attempt }) => [identity.runId, attempt]),
      [
        [run.identity.runId, 2],
        [next.identity.runId, 1],
      ],
    );
    assert.deepEqual(new Set((await statuses(threadId)).map(({ status }) => status)), new Set(['success']));
    await admin.end();
    await after.scheduler.close();
    await lost.destroy();
  });

  it('pass on runs that are handed to a server that has already left all of its own, while it still answers', async () => {
    const own = await postgres.createDatabase();
    await using fixture = await deploymentDatabase({ postgres: own });
    const databases = [await openTeamState(own), await openTeamState(own)];
    const executions = new Executions();
    const [ending, heir] = await startServers(databases, executions);
    assert.ok(ending && heir);
    const threadId = await thread(ending);
    const first = await accept(ending, threadId);
    const seen = await heir.sharing.readHolder(threadId);
    executions.endThose((run) => run === first);
    await first.outcome;
    await ending.db.drain();
    await ending.scheduler.drain(new AbortController().signal);
    // The heir has seen that the other server has the thread, and stores a run for it only now.
    const identity = { ...first.identity, runId: uuidv7() };
    await heir.sharing.storeForOther(identity, seen, ending.db.node, (unit) =>
      unit.run(countAnotherRun, { thread_id: threadId }),
    );
    await eventually('the run has ended', async () => {
      executions.endThose(() => true);
      const rows = await fixture.db.selectFrom('runs').select('status').execute();
      return rows.every(({ status }) => status === 'success') && rows.length === 2;
    });
    for (const { scheduler } of [ending, heir]) await scheduler.close();
    for (const db of databases) await db.destroy();
  });

  it('leave their runs only to servers that serve the same deployment, or to the next one that does', async () => {
    const own = await postgres.createDatabase();
    await using fixture = await deploymentDatabase({ postgres: own });
    // Each server has its own: a run that was cut off is still executed by the server that is gone.
    const executions = new Executions();
    const open = () => openTeamState(own);
    const [one, other, elsewhere] = [await open(), await open(), await open()];
    await elsewhere.serve('another');
    const [ending] = await startServers([one], new Executions());
    const [heir] = await startServers([other], new Executions());
    assert.ok(ending && heir);
    const threadId = await thread(ending);
    const run = await accept(ending, threadId);
    const owner = async () => {
      const rows = await fixture.db.selectFrom('runs').select('lease_owner').execute();
      return rows[0]?.lease_owner;
    };
    const leave = async (db: StateDatabase) => {
      await db.destroy();
      // The server that does not serve the deployment is the first to see it.
      const client = new pg.Client(own);
      await client.connect();
      await takeOver(client, Number(elsewhere.node), { alsoSilent: true, onTaken: () => {} });
      await client.end();
    };
    assert.equal(await one.findHeir(DEPLOYMENT), other.node);
    await ending.scheduler.close();
    await leave(one);
    assert.equal(await owner(), other.node);
    assert.equal(await other.findHeir(DEPLOYMENT), undefined);
    await heir.scheduler.close();
    await leave(other);
    const last = await open();
    const [next] = await startServers([last], executions);
    assert.ok(next);
    assert.equal(await owner(), last.node);
    const status = async () => {
      executions.endThose(() => true);
      return (await next.runs.require(run.identity.runId)).status;
    };
    await eventually('the run has ended', status, (now) => now === 'success');
    await next.scheduler.close();
    for (const db of [last, elsewhere]) await db.destroy();
  });
});
