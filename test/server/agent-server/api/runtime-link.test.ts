import assert from 'node:assert/strict';
import path from 'node:path';
import { runtimeLink } from '../../../../src/server/agent-server/api/runtime-link.ts';
import { CheckpointStore } from '../../../../src/server/agent-server/data/checkpoints/checkpoint-store.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { ItemStore } from '../../../../src/server/agent-server/data/items/item-store.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { LiveRuns } from '../../../../src/server/agent-server/runs/live-runs.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { openSqlite } from '../../../../src/server/storage/open-sqlite.ts';
import { SqliteState } from '../../../../src/server/storage/sqlite-state.ts';
import type { Waiting, Write } from '../../../../src/server/storage/unit.ts';
import { liveRun } from '../../../support/live-run.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Records how each write would wait for an unreachable database. */
class Noting extends SqliteState {
  readonly noted: (boolean | undefined)[] = [];
  override commit(write: Write, _subject?: string, waiting?: Waiting): Promise<void> {
    this.noted.push(waiting?.outlasts);
    return super.commit(write);
  }
}

describe('data that a runtime stores', () => {
  it('survives an outage of the database during a run, and is given up with its request outside a run', async () => {
    await using folder = await temporaryFolder();
    const db = new Noting(openSqlite(path.join(folder.path, 'state.db')));
    const queue = new CommitQueue(db);
    const live = new LiveRuns();
    const run = liveRun({ db, queue }, { threadId: 'thread' });
    live.add(run);
    const unused = () => assert.fail('nothing asks for this');
    const { notifications } = runtimeLink({
      ...{ db, queue, live },
      checkpoints: new CheckpointStore(db),
      runs: new RunStore(db, 'deployment'),
      items: new ItemStore(db, 'deployment'),
      log: new LogBook(),
      recorder: { record: unused, recordPart: unused },
      replays: { answer: unused, readPart: unused },
      costs: { begin: unused, end: unused },
      customRoutes: { writeBody: unused },
      onRefused: unused,
      onSuperstep: unused,
      onBlocking: unused,
    });
    for (const run_id of [null, run.identity.runId]) {
      notifications['checkpoints.put_writes']({
        ...{ run_id, thread_id: 'thread', checkpoint_ns: '', checkpoint_id: 'checkpoint', writes: [] },
      });
      await queue.waitUntilSettled();
    }
    assert.deepEqual(db.noted, [false, true]);
    await db.destroy();
  });
});
