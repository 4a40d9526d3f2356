import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { RunStream, type StreamedEvent } from '../../../../src/server/agent-server/runs/run-stream.ts';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A stream on a new database. */
async function openStream(): Promise<
  AsyncDisposable & { readonly stream: RunStream; readonly db: StateDatabase }
> {
  const folder = await temporaryFolder();
  const db = await openStateDatabase(folder.path);
  // Events alone, without their run.
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  return {
    db,
    stream: new RunStream({ run_id: 'a run', thread_id: 'a thread' }, { db, queue: new CommitQueue(db) }),
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Appends this many events of 400 kB, and the end. */
async function appendLarge(stream: RunStream, count: number): Promise<void> {
  const text = 'x'.repeat(400_000);
  for (let index = 0; index < count; index++)
    await stream.append([['custom', JSON.stringify({ index, text })]]);
  stream.end();
}

describe('the stream of a run', () => {
  it('is sent completely to a late reader, a few large events at a time', async () => {
    await using opened = await openStream();
    const { stream } = opened;
    // More than the newest events that are kept in memory.
    await appendLarge(stream, 20);
    const batches: (readonly StreamedEvent[])[] = [];
    for await (const batch of stream.read(0, new AbortController().signal)) batches.push(batch);
    const seqs = batches.flat().map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    // The newest ones are in memory anyway.
    const stored = batches.filter((batch) => batch.at(-1)?.seq !== 20);
    assert.ok(
      stored.length > 1 && stored.every(({ length }) => length <= 3),
      `${stored.map(({ length }) => length)}`,
    );
  });

  it('has no gap where events could not be stored: only the end of the run follows', async () => {
    await using opened = await openStream();
    const { stream, db } = opened;
    const append = (name: string) => stream.append([['custom', JSON.stringify(name)]]);
    await append('stored');
    await sql`create trigger refusing before insert on run_events
      when new.events like '%refused%' begin select raise(abort, 'refused'); end`.execute(db);
    const results = await Promise.allSettled(['refused', 'behind it', 'last'].map(append));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await assert.rejects(append('later'), /refused/);
    const end = stream.prepare([['error', '{}']]);
    assert.equal(end.row.first_seq, 2);
    const rows = await db.selectFrom('run_events').select(['first_seq', 'last_seq']).execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ first_seq: 1, last_seq: 1 }],
    );
  });

  it('leaves the event loop to others between the reads of many readers', async () => {
    await using opened = await openStream();
    const { stream } = opened;
    await appendLarge(stream, 40);
    let turns = 0;
    let isRead = false;
    const count = () => {
      if (isRead) return;
      turns += 1;
      setImmediate(count);
    };
    count();
    let stored = 0;
    const read = async () => {
      for await (const batch of stream.read(0, new AbortController().signal))
        if (batch.at(-1)?.seq !== 40) stored += 1;
    };
    await Promise.all([read(), read(), read()]);
    isRead = true;
    assert.ok(stored > 10 && turns >= stored, `${turns} turns in ${stored} parts`);
  });

  it('wakes a thousand readers of a new event in several turns of the event loop', async () => {
    await using opened = await openStream();
    const { stream } = opened;
    let reached = 0;
    const read = async () => {
      for await (const _ of stream.read(0, new AbortController().signal)) reached += 1;
    };
    const readers = Array.from({ length: 1_000 }, read);
    await new Promise((resolve) => setImmediate(resolve));
    stream.publish([{ seq: 1, event: 'custom', data: '{}' }]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(reached > 0 && reached < 1_000, `${reached} readers after one turn`);
    stream.end();
    await Promise.all(readers);
    assert.equal(reached, 1_000);
  });
});
