import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { RunCreate, RunCreateStateless } from '../../../../src/contract/agent-server/runs.ts';
import { followThread, THREAD_START } from '../../../../src/server/agent-server/api/follow-thread.ts';
import { NOBODY } from '../../../../src/server/agent-server/auth/run-author.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import type { LiveRun } from '../../../../src/server/agent-server/runs/live-run.ts';
import { LiveRuns } from '../../../../src/server/agent-server/runs/live-runs.ts';
import { RunLedger } from '../../../../src/server/agent-server/runs/run-ledger.ts';
import { HttpError } from '../../../../src/server/http/errors.ts';
import { SqliteState } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';
import { OneThreadQueue } from '../../../support/one-thread-queue.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { makeScheduler, SLOTS } from '../../../support/run-scheduler.ts';
import { eventually, patience } from '../../../support/wait.ts';

const THREADS = 3;

const thread = fc.nat(THREADS - 1);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      thread,
      strategy: fc.constantFrom('enqueue', 'enqueue', 'reject', 'interrupt', 'rollback'),
      graph: fc.constantFrom('a', 'b'),
      delayed: fc.boolean(),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('run alone' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), thread }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cancel' as const),
      which: fc.nat(9),
      action: fc.constantFrom('interrupt' as const, 'rollback' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs the actions of concurrent clients until all their runs have ended. */
async function play(db: StateDatabase, clients: readonly (readonly Step[])[]) {
  const made = makeScheduler(db);
  const { executions, live, threads, scheduler, requests } = made;
  await db.deleteFrom('threads').execute();
  const ids: string[] = Array.from({ length: THREADS }, () => crypto.randomUUID());
  await db.commit((unit) => {
    for (const id of ids) threads.insert(unit, threads.makeRow(id, {}));
  });
  const accepted: LiveRun[] = [];
  const refused: string[] = [];
  const perform = async (one: Step): Promise<void> => {
    switch (one.do) {
      case 'run': {
        const request = {
          ...RunCreate.parse({ assistant_id: one.graph, input: {}, multitask_strategy: one.strategy }),
          after_seconds: one.delayed ? 0.002 : null,
        };
        const also = () => {
          if (one.fails) throw new HttpError(409, 'It cannot be stored.');
        };
        const threadId = ids[one.thread] ?? '';
        try {
          accepted.push(await requests.createOnThread(threadId, request, NOBODY, also));
        } catch (error) {
          if (!(error instanceof HttpError && error.status === 409)) throw error;
          refused.push(error.message);
        }
        return;
      }
      case 'run alone': {
        const request = RunCreateStateless.parse({ assistant_id: 'a', input: {} });
        accepted.push(await requests.createStateless(request, NOBODY));
        return;
      }
      case 'end':
        return executions.endThose(({ identity }) => identity.threadId === ids[one.thread]);
      case 'wait':
        return new Promise((resolve) => setTimeout(resolve, 3));
      case 'cancel': {
        const run = accepted[one.which % (accepted.length || 1)];
        if (run !== undefined) await scheduler.cancel(run, one.action, undefined);
      }
    }
  };
  await Promise.all(
    clients.map(async (steps) => {
      for (const one of steps) {
        await turn();
        await perform(one);
      }
    }),
  );
  const deadline = Date.now() + 30_000 * patience;
  while (live.size > 0) {
    assert.ok(Date.now() < deadline, `${live.size} runs are stranded`);
    executions.endThose(() => true);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(accepted.map((run) => run.outcome));
  await scheduler.waitUntilSettled();
  await scheduler.close();
  return { ...made, ids, accepted };
}

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the scheduler of runs on ${engine}`, function () {
    this.timeout(120_000);
    let postgres: Postgres | undefined;
    let made: Awaited<ReturnType<typeof deploymentDatabase>>;
    before(async function () {
      if (engine === 'PostgreSQL') postgres = await requirePostgres(this);
      made = await deploymentDatabase({ postgres: await postgres?.createDatabase() });
    });
    after(async () => {
      await made?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
    });

    it('runs one at a time per thread, in order, and strands none, whatever clients do at once', async () => {
      const { db } = made;
      const clients = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(clients, async (all) => {
          const { executions, failures, ids, accepted } = await play(db, all);
          assert.deepEqual(failures, []);
          const rows = await db
            .selectFrom('runs')
            .select(['run_id', 'thread_id', 'thread_order', 'status'])
            .where('thread_id', 'in', ids)
            .orderBy('thread_order')
            .execute();
          assert.deepEqual(
            rows.filter(({ status }) => status === 'pending' || status === 'running'),
            [],
          );
          const stored = new Set(rows.map(({ run_id }) => run_id));
          const unexpected = new Set(stored);
          for (const { identity, cancelled } of accepted) {
            unexpected.delete(identity.runId);
            // A run that has already ended when it is rolled back is kept.
            const isKept = !identity.stateless && cancelled?.action !== 'rollback';
            if (isKept) assert.ok(stored.has(identity.runId));
          }
          assert.deepEqual(unexpected, new Set());
          for (const id of ids) {
            const started = executions.started
              .filter(({ identity }) => identity.threadId === id && stored.has(identity.runId))
              .map(({ identity }) => identity.runId);
            const inOrder = rows.filter(({ run_id }) => started.includes(run_id));
            assert.deepEqual(
              inOrder.map(({ run_id }) => run_id),
              started,
            );
            assert.equal(new Set(inOrder.map(({ thread_order }) => thread_order)).size, inOrder.length);
          }
          const threads = await db.selectFrom('threads').select(['thread_id', 'status']).execute();
          assert.deepEqual(
            threads.filter(({ status }) => status === 'busy'),
            [],
          );
          // The threads of runs that were started without one are deleted with their runs, unless readers of other servers may
          // need them.
          assert.deepEqual(
            db instanceof SqliteState ? threads.filter(({ thread_id }) => !ids.includes(thread_id)) : [],
            [],
          );
        }),
        { numRuns: 60, endOnFailure: true },
      );
    });

    it('shows followers of a thread its runs in the order in which they start, also when a delayed one waited', async () => {
      const { db } = made;
      const { executions, threads, scheduler, requests, runs } = makeScheduler(db);
      const row = threads.makeRow(crypto.randomUUID(), {});
      await db.commit((unit) => threads.insert(unit, row));
      const accept = async (after_seconds: number | null) =>
        requests.createOnThread(
          row.thread_id,
          { ...RunCreate.parse({ assistant_id: 'a', input: {} }), after_seconds },
          NOBODY,
        );
      const delayed = await accept(0.02);
      const first = await accept(null);
      const canceled = await accept(null);
      const last = await accept(null);
      await scheduler.cancel(canceled, 'interrupt', undefined);
      const gone = new AbortController();
      const followed: string[] = [];
      const seen = (async () => {
        for await (const part of followThread({ db, runs }, row.thread_id, THREAD_START, gone.signal)) {
          if (part.kind === 'end') followed.push(part.run.run_id);
          if (followed.length === 4) return;
        }
      })();
      await eventually('the delayed run to be due', () => Date.now() > delayed.identity.startAfter);
      for (let ended = 0; ended < 3; ended++) {
        await eventually('the next run', () => executions.started.length > ended);
        executions.endThose(() => true);
      }
      await seen;
      gone.abort();
      assert.deepEqual(new Set(executions.started), new Set([first, delayed, last]));
      assert.deepEqual(
        followed.filter((id) => id !== canceled.identity.runId),
        executions.started.map(({ identity }) => identity.runId),
      );
      await scheduler.close();
    });

    it('continues a run that was cut off before it starts a delayed one of the thread that has come due', async () => {
      const { db } = made;
      const killed = makeScheduler(db);
      const row = killed.threads.makeRow(crypto.randomUUID(), {});
      await db.commit((unit) => killed.threads.insert(unit, row));
      const accept = async (after_seconds: number | null) =>
        killed.requests.createOnThread(
          row.thread_id,
          { ...RunCreate.parse({ assistant_id: 'a', input: {} }), after_seconds },
          NOBODY,
        );
      const delayed = await accept(1);
      const cutOff = await accept(null);
      await eventually('the run to start', () => killed.executions.started.length > 0);
      await eventually('the delayed run to be due', () => Date.now() > delayed.identity.startAfter);
      const { executions, scheduler, live } = makeScheduler(db);
      await scheduler.recover();
      for (let ended = 0; ended < 2; ended++) {
        await eventually('the next run', () => executions.started.length > ended);
        executions.endThose(() => true);
      }
      await eventually('all runs to end', () => live.size === 0);
      assert.deepEqual(
        executions.started.map(({ identity }) => identity.runId),
        [cutOff.identity.runId, delayed.identity.runId],
      );
      await scheduler.close();
    });
  });
}

describe('the scheduler of runs', () => {
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  before(async () => {
    made = await deploymentDatabase();
  });
  after(() => made[Symbol.asyncDispose]());

  it('fails this test if one of its units touches two threads', async () => {
    const queue = new OneThreadQueue(made.db);
    const threads = new ThreadStore(made.db, DEPLOYMENT);
    const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await queue.write(one, (unit) => threads.insert(unit, threads.makeRow(one, {})));
    await queue.write(other, (unit) => threads.insert(unit, threads.makeRow(other, {})));
    const both = queue.write(one, (unit) => {
      threads.delete(unit, one);
      threads.delete(unit, other);
    });
    await assert.rejects(both, /touches one thread/);
  });

  it('starts no second run beside a delayed one when the clock is set back', () => {
    const live = new LiveRuns();
    const ledger = new RunLedger({ live, concurrency: SLOTS });
    const at = { db: made.db, queue: new CommitQueue(made.db) };
    const delayed = liveRun(at, { threadId: 'thread', startAfter: 2_000 });
    assert.equal(ledger.accept(delayed, 1_000), false);
    ledger.confirm(delayed);
    assert.equal(ledger.schedule('thread', 1_500), 500);
    assert.equal(ledger.schedule('thread', 2_000), undefined);
    assert.equal(ledger.claim(), delayed);
    const next = liveRun(at, { threadId: 'thread' });
    assert.equal(ledger.accept(next, 1_000), false);
    ledger.confirm(next);
    assert.equal(ledger.schedule('thread', 1_000), undefined);
    assert.equal(ledger.claim(), undefined);
    ledger.remove(delayed);
    ledger.schedule('thread', 1_000);
    assert.equal(ledger.claim(), next);
  });
});
