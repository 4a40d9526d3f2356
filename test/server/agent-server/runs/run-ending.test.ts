import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { insertRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import type { LiveRun, RunIdentity } from '../../../../src/server/agent-server/runs/live-run.ts';
import { LiveRuns } from '../../../../src/server/agent-server/runs/live-runs.ts';
import { RunEnding } from '../../../../src/server/agent-server/runs/run-ending.ts';
import type { ExecutionResult } from '../../../../src/server/agent-server/runs/run-execution.ts';
import { makeRunRow } from '../../../../src/server/agent-server/runs/run-rows.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';

const THREAD = 'thread';
const END: ExecutionResult = {
  status: 'success',
  state: { values: '{"value":2}', next: [], interrupts: '{}', checkpoint_id: '1' },
};

/**
 * A thread with runs, as in a scheduler, and the code that stores their ends.
 * @param restored the state in its checkpoints
 * @param meanwhile another state that it gets while they are read
 */
async function parts(restored = '{}', meanwhile?: string) {
  const made = await deploymentDatabase();
  const { db } = made;
  const queue = new CommitQueue(db);
  const live = new LiveRuns();
  /** The writes to be stored with each end, including those of attempts that failed. */
  const told: [LiveRun, string][] = [];
  const threads = new ThreadStore(db, DEPLOYMENT);
  const runs = new RunStore(db, DEPLOYMENT);
  const ending = new RunEnding({
    db,
    queue,
    live,
    threads,
    runs,
    checkpoints: new CheckpointStore(db),
    logger: makeLogger({ level: 'silent' }),
    readState: async () => {
      if (meanwhile !== undefined) {
        const state_updated_at = new Date().toISOString();
        await db.updateTable('threads').set({ values: meanwhile, state_updated_at }).execute();
      }
      return { status: 'idle', values: restored };
    },
    onEnd: (_, run, { status }) => told.push([run, status]),
  });
  const row = { ...threads.makeRow(THREAD, {}), status: 'busy' as const };
  await db.commit((unit) => threads.insert(unit, row));
  /** Accepted, but not stored yet. */
  const accept = (identity: Partial<RunIdentity> = {}) => {
    const run = liveRun({ db, queue }, { threadId: THREAD, ...identity });
    live.add(run);
    return run;
  };
  const store = (run: LiveRun) =>
    queue.write(THREAD, (unit) => unit.run(insertRun, makeRunRow(run, DEPLOYMENT, db.node)));
  const status = async () => (await threads.find(THREAD))?.status;
  return { ...made, ending, accept, store, status, runs, live, threads, told };
}

describe('the end of a run', () => {
  it('leaves its thread busy only for runs that are stored', async () => {
    await using at = await parts();
    const [ended, refused, next] = [at.accept(), at.accept(), at.accept()];
    await at.store(ended);
    await at.ending.store(ended, END);
    // The second one was refused after all.
    assert.equal(await at.status(), 'idle');
    await at.store(next);
    await at.store(refused);
    await at.ending.store(refused, END);
    assert.equal(await at.status(), 'busy');
    await at.ending.store(next, END);
    assert.equal(await at.status(), 'idle');
  });

  it('has the number of the first event before it that could not be stored', async () => {
    await using at = await parts();
    const run = at.accept();
    await at.store(run);
    await run.stream.append([['values', '{}']]);
    await sql`create trigger refusing before insert on run_events
      when new.events like '%refused%' begin select raise(abort, 'not this one'); end`.execute(at.db);
    const appended = run.stream.append([['values', '"refused"']]).catch((error: unknown) => {
      run.storageFailure ??= error;
    });
    const end = await at.ending.store(run, END);
    await appended;
    assert.equal(end?.outcome.status, 'error');
    assert.deepEqual(
      end.events.map(({ seq, event }) => [seq, event]),
      [[2, 'error']],
    );
    const rows = await at.db.selectFrom('run_events').select('last_seq').orderBy('first_seq').execute();
    assert.deepEqual(
      rows.map(({ last_seq }) => last_seq),
      [1, 2],
    );
  });

  it('gives the run the last position in its thread when its start could not be stored', async () => {
    await using at = await parts();
    const [waiting, other] = [at.accept(), at.accept()];
    await at.store(waiting);
    await at.store(other);
    // The run has started only in memory, as if the disk had been full.
    waiting.start();
    await at.ending.store(waiting, END);
    const row = await at.runs.find(waiting.identity.runId);
    assert.equal(row?.thread_order, 1);
    assert.equal((await at.runs.find(other.identity.runId))?.thread_order, 0);
  });

  it('changes nothing when the run has not been stored, or is deleted', async () => {
    await using at = await parts();
    const refused = at.accept();
    const end = await at.ending.store(refused, END);
    assert.deepEqual([end?.run, end?.thread], ['deleted', 'kept']);
    assert.equal(await at.status(), 'busy');
  });

  it('stays as it was stored when the thread cannot be given its earlier state', async () => {
    await using at = await parts('{"value":"refused"}');
    const run = at.accept();
    await at.store(run);
    run.cancelled = { action: 'rollback', reason: undefined };
    await sql`create trigger refusing before update on threads
      when new."values" like '%refused%' begin select raise(abort, 'not this one'); end`.execute(at.db);
    const end = await at.ending.store(run, { status: 'cancelled', state: null });
    assert.deepEqual([end?.outcome.status, end?.run], ['interrupted', 'deleted']);
    assert.deepEqual(at.told, [[run, 'interrupted']]);
    assert.equal(await at.status(), 'idle');
  });

  it('gives the thread the state of its checkpoints when a run that another server continues is canceled', async () => {
    await using at = await parts('{"value":1}');
    const run = at.accept();
    await at.store(run);
    at.live.leave(run.identity.runId);
    run.cancelled = { action: 'interrupt', reason: undefined };
    await at.ending.store(run, { status: 'cancelled', state: null });
    const thread = await at.threads.find(THREAD);
    assert.deepEqual([thread?.status, thread?.values], ['idle', '{"value":1}']);
  });

  it('keeps a state that the thread is given while the checkpoints of the thread are read', async () => {
    await using at = await parts('{"value":1}', '{"value":2}');
    const run = at.accept();
    await at.store(run);
    run.cancelled = { action: 'rollback', reason: undefined };
    await at.ending.store(run, { status: 'cancelled', state: null });
    const thread = await at.threads.find(THREAD);
    assert.deepEqual([thread?.status, thread?.values], ['idle', '{"value":2}']);
  });

  it('keeps the temporary thread of a run when another run has joined it', async () => {
    await using at = await parts();
    const ended = at.accept({ stateless: true });
    await at.store(ended);
    const other = at.accept();
    const stored = at.store(other);
    const end = await at.ending.store(ended, END);
    await stored;
    assert.deepEqual([end?.run, end?.thread], ['kept', 'kept']);
    assert.equal((await at.runs.find(other.identity.runId))?.status, 'pending');
    assert.equal(await at.status(), 'busy');
  });

  it('deletes the temporary thread of a run that has it to itself', async () => {
    await using at = await parts();
    const ended = at.accept({ stateless: true });
    await at.store(ended);
    assert.equal((await at.ending.store(ended, END))?.thread, 'deleted');
    assert.equal(await at.status(), undefined);
  });
});
