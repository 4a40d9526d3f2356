import assert from 'node:assert/strict';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import { nextWorkAt } from '../../../src/server/traces-thread/next-work.ts';
import type { WriterContext } from '../../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import type { TracesDatabase } from '../../../src/server/tracing/database/traces-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW_MICROS = 1_800_000_000_000_000;
const SECOND = 1_000_000;
const DAY_SECONDS = 86_400;

describe('the time when the thread that stores traces has work next', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: TracesDatabase;
  let context: WriterContext;

  beforeEach(async () => {
    folder = await temporaryFolder();
    db = await openTracesDatabase(folder.path);
    context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: () => {},
      nudge: () => {},
      now: () => NOW_MICROS,
    });
    // These are looked for at each start.
    for (const work of context.background) work.advance(1_000);
  });
  afterEach(async () => {
    for (const work of context.background) work.stop?.();
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  /** The seconds until work is due. */
  const dueIn = () => (nextWorkAt(context) * 1_000 - NOW_MICROS) / SECOND;
  const insert = (into: string, ...values: readonly (string | number | null)[]) =>
    db.statement(`INSERT INTO ${into} VALUES (${values.map(() => '?').join(', ')})`).run(...values);

  it('is in a day while nothing is stored', () => {
    assert.equal(dueIn(), DAY_SECONDS);
  });

  it('is when the first trace expires', () => {
    const columns = 'id, workspace, session, tier, ttl_days, first_received_at, expires_at, run_count';
    const insertTrace = (id: string, seconds: number) =>
      insert(`traces (${columns})`, id, 1, 1, 'shortlived', 14, 0, NOW_MICROS + seconds * SECOND, 0);
    insertTrace('later', 7_200);
    insertTrace('first', 3_600);
    assert.equal(dueIn(), 3_600);
    const job = 'id, workspace, kind, filter, step, created_at, not_before';
    // The purge waits for its window, and whatever expires waits with it.
    insert(`purge_jobs (${job})`, 'open', 1, 'expiry', '{}', 'pending', 0, NOW_MICROS + 5_400 * SECOND);
    assert.equal(dueIn(), 5_400);
  });

  it('is when a purge may begin, whatever has ended', () => {
    const columns = 'id, workspace, kind, filter, step, created_at, not_before';
    const insertJob = (id: string, step: string, seconds: number) =>
      insert(`purge_jobs (${columns})`, id, 1, 'traces', '{}', step, 0, NOW_MICROS + seconds * SECOND);
    insertJob('ended', 'verified', 10);
    assert.equal(dueIn(), DAY_SECONDS);
    insertJob('open', 'pending', 600);
    assert.equal(dueIn(), 600);
  });

  it('is when a span will have waited long enough for its parent', () => {
    insert('early_spans (workspace, trace, span, parent, received_at)', 1, 't', 's', 'p', NOW_MICROS);
    assert.equal(dueIn(), 120);
  });

  it('is now while a trace waits for rules', () => {
    insert('rule_queue (trace, workspace)', 1, 1);
    assert.ok(dueIn() < 0);
  });

  it('is now while there are words to index, and no longer afterwards', () => {
    insert('payload_blocks (trace, words, data)', 1, '[]', '');
    assert.ok(dueIn() < 0);
    context.words.advance(1_000);
    assert.equal(dueIn(), DAY_SECONDS);
  });
});
