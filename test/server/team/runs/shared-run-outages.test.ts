import assert from 'node:assert/strict';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { insertRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { LiveRuns } from '../../../../src/server/agent-server/runs/live-runs.ts';
import { RunAttempts } from '../../../../src/server/agent-server/runs/run-attempts.ts';
import { RunEnding } from '../../../../src/server/agent-server/runs/run-ending.ts';
import { makeRunRow } from '../../../../src/server/agent-server/runs/run-rows.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';
import { type OwnPostgres, requireOwnPostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';

const THREAD = 'thread';

describe('runs of a team while PostgreSQL is away', function () {
  this.timeout(60_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  afterEach(() => postgres?.start());
  after(() => postgres?.[Symbol.asyncDispose]());

  /** A run in progress, and the parts that store its changes. Requests do not wait for PostgreSQL. */
  async function parts() {
    const url = await postgres.createDatabase();
    await (await deploymentDatabase({ postgres: url }))[Symbol.asyncDispose]();
    const db = await openTeamState(url, { patienceMs: 0 });
    const queue = new CommitQueue(db);
    const threads = new ThreadStore(db, DEPLOYMENT);
    const run = liveRun({ db, queue }, { threadId: THREAD });
    await db.commit((unit) => {
      threads.insert(unit, { ...threads.makeRow(THREAD, {}), status: 'busy' });
      unit.run(insertRun, makeRunRow(run, DEPLOYMENT, db.node));
    });
    run.start();
    run.hasPlace = true;
    const options = {
      db,
      queue,
      threads,
      logger: makeLogger({ level: 'silent' }),
      runs: new RunStore(db, DEPLOYMENT),
      checkpoints: new CheckpointStore(db),
      live: new LiveRuns(),
    };
    return { ...options, options, run, [Symbol.asyncDispose]: () => db.destroy() };
  }

  it('are left to the next server when their process is lost and the server is told to stop', async () => {
    await using at = await parts();
    const attempts = new RunAttempts({
      ...at.options,
      continueAfterCrash: true,
      closing: new AbortController().signal,
      onGone: () => assert.fail('It is there.'),
      currentRevision: () => null,
      execution: {
        execute: async () => {
          await postgres.stop();
          setTimeout(() => at.db.stopWaiting(), 300);
          return { status: 'lost', state: null };
        },
      },
    });
    assert.equal(await attempts.execute(at.run), undefined);
    assert.equal(at.run.attempt, 1);
  });

  it('leave their thread as in its checkpoints, even if these cannot be read at once', async () => {
    await using at = await parts();
    let looks = 0;
    const ending = new RunEnding({
      ...at.options,
      readState: async () => {
        if (++looks === 1) {
          await postgres.stop();
          setTimeout(() => void postgres.start(), 300);
        }
        await at.threads.find(THREAD);
        return { status: 'interrupted', values: '{"read":true}' };
      },
      onEnd: () => {},
    });
    at.run.cancelled = { action: 'rollback' };
    const end = await ending.store(at.run, { status: 'cancelled', state: null });
    assert.equal(end?.run, 'deleted');
    assert.ok(looks > 1);
    const thread = await at.db.selectFrom('threads').select(['status', 'values']).executeTakeFirst();
    assert.deepEqual({ ...thread }, { status: 'interrupted', values: '{"read":true}' });
  });
});
