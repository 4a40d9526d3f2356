import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { insertRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { LiveRuns } from '../../../../src/server/agent-server/runs/live-runs.ts';
import { RunAttempts } from '../../../../src/server/agent-server/runs/run-attempts.ts';
import { makeRunRow } from '../../../../src/server/agent-server/runs/run-rows.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';

const THREAD = 'thread';

describe('an attempt of a run', () => {
  it('is not started after events of the previous one that could not be stored', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const queue = new CommitQueue(db);
    const threads = new ThreadStore(db, DEPLOYMENT);
    const run = liveRun({ db, queue }, { threadId: THREAD });
    await db.commit((unit) => {
      threads.insert(unit, threads.makeRow(THREAD, {}));
      unit.run(insertRun, makeRunRow(run, DEPLOYMENT, db.node));
    });
    const attempts = new RunAttempts({
      db,
      queue,
      logger: makeLogger({ level: 'silent' }),
      runs: new RunStore(db, DEPLOYMENT),
      checkpoints: new CheckpointStore(db),
      live: new LiveRuns(),
      execution: { execute: () => Promise.reject(new Error('The second attempt must not be executed.')) },
      continueAfterCrash: true,
      closing: new AbortController().signal,
      onGone: () => assert.fail('It is there.'),
      currentRevision: () => null,
    });
    run.start();
    run.hasPlace = true;
    await run.stream.append([['values', '{}']]);
    await sql`create trigger refusing before insert on run_events
      when new.events like '%refused%' begin select raise(abort, 'refused'); end`.execute(db);
    // The last message of the process before it is lost.
    const appended = run.stream.append([['values', '"refused"']]).catch((error: unknown) => {
      run.storageFailure ??= error;
    });
    run.attempt++;
    const last = await attempts.start(run);
    await appended;
    assert.equal(last?.result.status, 'error');
    const rows = await db.selectFrom('run_events').select(['first_seq', 'last_seq']).execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ first_seq: 1, last_seq: 1 }],
    );
    const end = run.stream.prepare([['error', '{}']]);
    assert.equal(end.row.first_seq, 2, 'the end of the run follows what readers have seen');
  });
});
