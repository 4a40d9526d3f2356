import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { openSqlite } from '../../../../src/server/storage/open-sqlite.ts';
import { openStateDatabase, SqliteState } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import type { Waiting } from '../../../../src/server/storage/unit.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the commit queue', () => {
  it('commits the writes of a turn in one transaction, in order, and keeps good ones when one fails', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const queue = new CommitQueue(db);
    const put = (name: string, value: string) =>
      queue.write('thread', (unit) => {
        unit.do(unit.build.insertInto('settings').values({ name, value }));
      });
    const results = await Promise.allSettled([put('a', '1'), put('b', '2'), put('a', '3'), put('c', '4')]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const rows = await db.selectFrom('settings').selectAll().orderBy('name').execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
        { name: 'c', value: '4' },
      ],
    );
    await db.destroy();
  });

  it('stores urgent writes separately, and shows them before more of their thread is stored', async () => {
    await using folder = await temporaryFolder();
    const { db, queue, stored } = watchedQueue(folder.path);
    const write = (name: string, atOnce: boolean) =>
      queue.writeForRun('thread', () => void stored.at(-1)?.push(name), { atOnce });
    const seen = write('event', true).then(() => stored.length);
    await Promise.all([seen, write('checkpoint', false), write('next event', true)]);
    assert.deepEqual(stored, [['event'], ['checkpoint', 'next event']]);
    assert.equal(await seen, 1);
    await db.destroy();
  });

  it('keeps no other thread waiting for urgent writes', async () => {
    await using folder = await temporaryFolder();
    const { db, queue, stored } = watchedQueue(folder.path);
    const write = (threadId: string, atOnce: boolean) =>
      queue.writeForRun(threadId, () => void stored.at(-1)?.push(threadId), { atOnce });
    await Promise.all([write('a', false), write('b', true), write('c', false)]);
    assert.deepEqual(stored, [['a', 'b', 'c']]);
    await db.destroy();
  });

  it('settles only when everything queued before is stored', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const queue = new CommitQueue(db);
    for (let at = 0; at < 50; at++) {
      void queue.write('thread', (unit) => {
        unit.do(unit.build.insertInto('settings').values({ name: `n${at}`, value: '0' }));
      });
    }
    await queue.waitUntilSettled();
    const rows = await db.selectFrom('settings').selectAll().execute();
    assert.equal(rows.length, 50);
    await db.destroy();
  });

  it('refuses an asynchronous write, which would continue after the commit', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const waiting = new CommitQueue(db).write('thread', async (unit) => {
      unit.do(unit.build.insertInto('settings').values({ name: 'undone', value: '' }));
    });
    await assert.rejects(waiting, /must not be asynchronous/);
    assert.deepEqual(await db.selectFrom('settings').selectAll().execute(), []);
    await db.destroy();
  });

  for (const error of [new DatabaseUnreachable('cut off'), new Error('the disk is full')]) {
    it(`tells waiting code of ${error.name} before it writes what was queued behind`, async () => {
      await using folder = await temporaryFolder();
      let commits = 0;
      let isHeard = false;
      /** The first transaction fails while another write is queued. */
      class Failing extends SqliteState {
        override async commit(write: Parameters<SqliteState['commit']>[0]): Promise<void> {
          if (++commits > 1) return super.commit(write);
          later = queue.write('thread', () => heard.push(isHeard));
          throw error;
        }
      }
      const heard: boolean[] = [];
      const db = new Failing(openSqlite(path.join(folder.path, 'state.db')));
      const queue = new CommitQueue(db);
      let later: Promise<void> | undefined;
      /** Reacts to the failure late, like code in which a function or two await the write. */
      const waiting = async () => {
        try {
          await queue.write('thread', () => {});
        } catch (caught) {
          await Promise.resolve();
          isHeard = true;
          throw caught;
        }
      };
      await assert.rejects(waiting(), error);
      await later;
      assert.deepEqual(heard, [true]);
      await db.destroy();
    });
  }

  it('gives up requests by when they were queued, whatever they wait behind, and says that runs wait', async () => {
    /** A team's database, which is unreachable until the test makes it available. */
    class Away extends SqliteState {
      override readonly isNear = false;
      readonly asked: { readonly waiting: Waiting | undefined; readonly end: PromiseWithResolvers<void> }[] =
        [];
      override commit(...[, , waiting]: Parameters<StateDatabase['commit']>): Promise<void> {
        const end = Promise.withResolvers<void>();
        this.asked.push({ waiting, end });
        return end.promise;
      }
    }
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    await using folder = await temporaryFolder();
    const db = new Away(openSqlite(path.join(folder.path, 'state.db')));
    const queue = new CommitQueue(db);
    const ended: string[] = [];
    const watched = (name: string, written: Promise<void>) =>
      written.then(
        () => ended.push(name),
        (error: unknown) => ended.push(`${name}: ${error instanceof DatabaseUnreachable && error.message}`),
      );
    const first = watched(
      'first',
      queue.write('thread', () => {}),
    );
    await turn();
    const ofRun = watched(
      'of a run',
      queue.writeForRun('thread', () => {}),
    );
    const second = watched(
      'second',
      queue.write('thread', () => {}),
    );
    await turn();
    const between = performance.now();
    await turn();
    const third = watched(
      'third',
      queue.write('thread', () => {}),
    );
    const [asked] = db.asked;
    assert.equal(asked?.waiting?.outlasts, false);
    assert.equal(queue.reconnected, undefined);
    asked.waiting.onAway?.(0);
    await turn();
    assert.ok(queue.reconnected, 'a run waits behind a request');
    assert.deepEqual(ended, []);
    asked.waiting.onAway?.(between);
    await second;
    const unsent = 'The database cannot be reached. Nothing was stored. Try again.';
    assert.deepEqual(ended, [`second: ${unsent}`]);
    asked.end.reject(new DatabaseUnreachable('still away'));
    await first;
    await turn();
    assert.equal(db.asked[1]?.waiting?.outlasts, true);
    db.asked[1].end.resolve();
    await ofRun;
    await turn();
    const last = db.asked[2]?.waiting?.since ?? 0;
    assert.ok(last > between && last < performance.now() - 5, 'it has waited since it was queued');
    db.asked[2]?.end.resolve();
    await third;
    const sent = 'The database cannot be reached. Try again.';
    assert.deepEqual(ended, [`second: ${unsent}`, `first: ${sent}`, 'of a run', 'third']);
    await db.destroy();
  });
});

/** A queue whose transactions are recorded, each with the names of its writes. */
function watchedQueue(folder: string) {
  const stored: string[][] = [];
  class Watched extends SqliteState {
    override commit(write: Parameters<SqliteState['commit']>[0]): Promise<void> {
      stored.push([]);
      return super.commit(write);
    }
  }
  const db = new Watched(openSqlite(path.join(folder, 'state.db')));
  return { db, queue: new CommitQueue(db), stored };
}
