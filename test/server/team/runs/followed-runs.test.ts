import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { insertRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { makeRunRow } from '../../../../src/server/agent-server/runs/run-rows.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { FollowedRuns } from '../../../../src/server/team/runs/followed-runs.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const THREAD = 'thread';

describe('following a run of another server', () => {
  it('logs once why the run cannot be read, and continues', async () => {
    await using made = await deploymentDatabase();
    await using folder = await temporaryFolder();
    const { db } = made;
    const queue = new CommitQueue(db);
    const threads = new ThreadStore(db, DEPLOYMENT);
    const runs = new RunStore(db, DEPLOYMENT);
    const accepted = liveRun({ db, queue }, { threadId: THREAD });
    const { runId } = accepted.identity;
    await db.commit((unit) => {
      threads.insert(unit, threads.makeRow(THREAD, {}));
      unit.run(insertRun, makeRunRow(accepted, DEPLOYMENT, 'another'));
    });
    await db.updateTable('runs').set({ status: 'success', ended_at: PAST }).execute();
    const row = await runs.find(runId);
    assert.ok(row);

    const file = path.join(folder.path, 'log');
    const fd = openSync(file, 'w');
    const failures = [new DatabaseUnreachable(), new Error('damaged'), new Error('damaged')];
    const followed = new FollowedRuns({
      db,
      queue,
      runs,
      results: {
        read: async () => {
          const failure = failures.shift();
          if (failure === undefined) return { status: 'success', values: null };
          setImmediate(() => db.bus.hint(`run:${runId}`));
          throw failure;
        },
      },
      logger: makeLogger({ level: 'info', fd }),
    });
    const run = await followed.follow(row);
    assert.equal((await run.outcome).status, 'success');
    followed.close();
    closeSync(fd);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).err.message),
      ['damaged'],
    );
  });
});
