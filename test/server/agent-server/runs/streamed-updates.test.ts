import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { RunStream } from '../../../../src/server/agent-server/runs/run-stream.ts';
import { StreamedUpdates } from '../../../../src/server/agent-server/runs/streamed-updates.ts';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

type Event = [string, string];

const cached = { __metadata__: { cached: true } };
const event = (name: string, data: object): Event => [name, JSON.stringify(data)];

describe('the updates of a step that is continued', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: StateDatabase;

  before(async () => {
    folder = await temporaryFolder();
    db = await openStateDatabase(folder.path);
    // Events alone, without their runs.
    await sql`PRAGMA foreign_keys = OFF`.execute(db);
  });

  after(async () => {
    await db.destroy();
    await folder[Symbol.asyncDispose]();
  });

  /** Events that readers got before the process ended. @param before the last event before the step, by namespace */
  async function told(events: readonly Event[], before: Record<string, number> = { '': 0 }) {
    const stream = new RunStream(
      { run_id: crypto.randomUUID(), thread_id: 'thread' },
      { db, queue: new CommitQueue(db) },
    );
    for (const one of events) await stream.append([one]);
    return StreamedUpdates.read(stream, new Map(Object.entries(before)));
  }

  it('are skipped when readers already received them, and sent otherwise', async () => {
    const updates = await told([event('updates', { plan: { step: 1 } })]);
    const fresh = event('updates', { answer: { text: 'Hello' }, ...cached });
    assert.deepEqual(updates.withoutRepeats([event('updates', { plan: { step: 1 }, ...cached }), fresh]), [
      fresh,
    ]);
  });

  it('are sent as often as tasks wrote them', async () => {
    const same = event('updates', { worker: { done: true } });
    const repeat = event('updates', { worker: { done: true }, ...cached });
    const updates = await told([same, same]);
    assert.deepEqual(updates.withoutRepeats([repeat, repeat, repeat]), [repeat]);
  });

  it('are all sent when they are not marked as repeated, or have another mode', async () => {
    const updates = await told([event('updates', { loop: { n: 1 } }), event('custom', { n: 1 })]);
    const events = [event('updates', { loop: { n: 1 } }), event('custom', { n: 1, ...cached })];
    assert.deepEqual(updates.withoutRepeats(events), events);
  });

  it('are not confused with equal ones of an earlier step', async () => {
    const alike = event('updates', { loop: { n: 1 } });
    const updates = await told([alike, event('values', {})], { '': 1 });
    const now = event('updates', { loop: { n: 1 }, ...cached });
    assert.deepEqual(updates.withoutRepeats([now]), [now]);
  });

  it('are tracked per namespace', async () => {
    const inner = event('updates|sub:1', { look: { n: 1 } });
    const updates = await told([event('updates', { look: { n: 1 } }), inner], { '': 1, 'sub:1': 1 });
    const outerNow = event('updates', { look: { n: 1 }, ...cached });
    const innerNow = event('updates|sub:1', { look: { n: 1 }, ...cached });
    assert.deepEqual(updates.withoutRepeats([outerNow, innerNow]), [outerNow]);
  });

  it('are also recognized after several restarts', async () => {
    const repeat = event('updates', { plan: { step: 1 }, ...cached });
    const updates = await told([repeat]);
    assert.deepEqual(updates.withoutRepeats([repeat]), []);
  });
});
