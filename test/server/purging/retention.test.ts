import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FeedbackCreate } from '../../../src/contract/tracing/feedback.ts';
import { RunRuleCreate } from '../../../src/contract/tracing/rules.ts';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { prepareStaging, stagingFolder } from '../../../src/server/storage/staging-folder.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import type { WriterContext } from '../../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { nowMicros } from '../../../src/server/tracing/database/time.ts';
import type { TracesDatabase } from '../../../src/server/tracing/database/traces-database.ts';
import { createFeedback } from '../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { createRule } from '../../../src/server/tracing/rules/run-rules.ts';
import type { Part } from '../../../src/server/tracing/runs/parts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, type TestRun } from '../../support/traces.ts';
import { patience } from '../../support/wait.ts';

const DAY = 86_400_000_000;
const workspaceId = 'a-workspace';

/** The work of the storage thread, driven by the test, which also sets its clock. */
describe('retention', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: TracesDatabase;
  let context: WriterContext;
  let clock: number;

  beforeEach(async () => {
    folder = await temporaryFolder();
    db = await openTracesDatabase(folder.path);
    await prepareStaging(folder.path);
    clock = nowMicros();
    open();
  });
  afterEach(async () => {
    for (const work of context.background) work.stop?.();
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  /** Makes a new context, as after a restart, which looks for due work at once. */
  function open(): void {
    context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: () => {},
      nudge: () => {},
      now: () => clock,
    });
  }

  /** Stores a trace with a payload that is kept as a blob. */
  function store(fields: Record<string, unknown> = {}): TestRun {
    const run = newRun(fields);
    const payload = Buffer.from(JSON.stringify({ text: 'x'.repeat(100) }));
    const staged = path.join(stagingFolder(folder.path), run.id);
    writeFileSync(staged, payload);
    const main = Buffer.from(JSON.stringify(run));
    const parts: Part[] = [
      { name: `post.${run.id}`, contentType: 'application/json', offset: 0, length: main.length },
      {
        name: `post.${run.id}.inputs`,
        contentType: 'application/json',
        offset: 0,
        length: payload.length,
        staged,
      },
    ];
    const { refused } = db.transaction(() =>
      ingestRequest(context, { workspaceId, single: false, bytes: new Uint8Array(main), parts }),
    );
    assert.deepEqual(refused, []);
    return run;
  }

  /** Runs the background work until nothing is left. */
  function settle(): void {
    const until = Date.now() + 10_000 * patience;
    while (context.background.filter((work) => work.advance(50)).length > 0) {
      assert.ok(Date.now() < until, 'the background work comes to an end');
    }
  }

  /** Restarts with the clock put forward. */
  function afterDays(days: number): void {
    for (const work of context.background) work.stop?.();
    clock = nowMicros() + days * DAY;
    open();
    settle();
  }

  const isThere = (run: TestRun) => db.statement('SELECT 1 FROM runs WHERE id = ?').get(run.id) !== undefined;
  const blobsIn = (prefix: string) => {
    const place = path.join(folder.path, 'blobs', prefix);
    return existsSync(place)
      ? readdirSync(place, { recursive: true }).filter((name) => name.includes(path.sep)).length
      : 0;
  };

  it('is 14 days for a trace without feedback, including its blobs', () => {
    const run = store();
    assert.equal(blobsIn('ttl_14d'), 1);
    afterDays(13.9);
    assert.ok(isThere(run));
    afterDays(14.1);
    assert.ok(!isThere(run));
    assert.equal(blobsIn('ttl_14d'), 0);
    const job = db.statement('SELECT kind, step, matched, deleted FROM purge_jobs').get();
    assert.deepEqual({ ...job }, { kind: 'expiry', step: 'verified', matched: 1, deleted: 1 });
  });

  it('is 400 days for a trace with feedback, and moves its blobs to the prefix for this period', () => {
    const [judged, other] = [store(), store()];
    const feedback = FeedbackCreate.parse({ run_id: judged.id, key: 'k', score: 1 });
    db.transaction(() => createFeedback(context, { workspaceId, feedback }));
    assert.deepEqual([blobsIn('ttl_14d'), blobsIn('ttl_400d')], [1, 1]);
    afterDays(15);
    assert.deepEqual([isThere(judged), isThere(other)], [true, false]);
    assert.deepEqual([blobsIn('ttl_14d'), blobsIn('ttl_400d')], [0, 1]);
    afterDays(399);
    assert.ok(isThere(judged));
    afterDays(401);
    assert.ok(!isThere(judged));
    assert.equal(blobsIn('ttl_400d'), 0);
  });

  it('is 400 days for a trace whose feedback came first, unless it does not extend retention', () => {
    const judge = (fields: object) =>
      db.transaction(() =>
        createFeedback(context, { workspaceId, feedback: FeedbackCreate.parse({ key: 'k', ...fields }) }),
      );
    const [byTrace, byRun, not] = [newRun(), newRun(), newRun()];
    judge({ trace_id: byTrace.id, score: 1 });
    judge({ run_id: byRun.id, score: 1 });
    judge({ run_id: not.id, score: 1, extend_trace_retention: false });
    for (const run of [byTrace, byRun, not]) store(run);
    afterDays(15);
    assert.deepEqual([byTrace, byRun, not].map(isThere), [true, true, false]);
    const { n } = db.statement('SELECT count(*) AS n FROM feedback WHERE session_id IS NULL').get() ?? {};
    assert.equal(n, 0);
  });

  it('is 400 days for feedback on a run that never arrives', () => {
    const feedback = FeedbackCreate.parse({ run_id: crypto.randomUUID(), key: 'k', score: 1 });
    db.transaction(() => createFeedback(context, { workspaceId, feedback }));
    const left = () => Number(db.statement('SELECT count(*) AS n FROM feedback').get()?.n);
    afterDays(399);
    assert.equal(left(), 1);
    afterDays(401);
    assert.equal(left(), 0);
  });

  it('is 400 days for a trace with a run that a rule matches, and not for others', () => {
    const rule = RunRuleCreate.parse({ display_name: 'failures', filter: 'eq(status, "error")' });
    db.transaction(() => createRule(context, { workspaceId, rule }));
    const failed = store({ status: 'error' });
    const well = store({ status: 'success' });
    settle();
    assert.deepEqual([blobsIn('ttl_14d'), blobsIn('ttl_400d')], [1, 1]);
    afterDays(15);
    assert.deepEqual([isThere(failed), isThere(well)], [true, false]);
  });

  it('is checked by rules again when a trace changes, and after a restart', () => {
    const rule = RunRuleCreate.parse({ display_name: 'failures', tree_filter: 'eq(name, "bad")' });
    db.transaction(() => createRule(context, { workspaceId, rule }));
    const root = store();
    settle();
    assert.equal(blobsIn('ttl_400d'), 0);
    store({ parent: root, name: 'bad' });
    // Not settled: the server ends with the trace still in the queue.
    afterDays(15);
    assert.ok(isThere(root));
  });

  it('is extended by other rules if the filter of one is no longer valid', () => {
    for (const name of ['stored earlier', 'failures']) {
      const rule = RunRuleCreate.parse({ display_name: name, filter: 'eq(status, "error")' });
      db.transaction(() => createRule(context, { workspaceId, rule }));
    }
    // An earlier version accepted this value, and matched nothing.
    const filter = `has(metadata, '{"key": null}')`;
    db.statement(`UPDATE run_rules SET filter = ? WHERE name = 'stored earlier'`).run(filter);
    store({ status: 'error' });
    settle();
    assert.deepEqual([blobsIn('ttl_14d'), blobsIn('ttl_400d')], [0, 1]);
  });

  it('is extended only for the sample of a rule', () => {
    const rule = RunRuleCreate.parse({ display_name: 'some', filter: 'eq(name, "run")', sampling_rate: 0.5 });
    db.transaction(() => createRule(context, { workspaceId, rule }));
    for (let at = 0; at < 60; at++) store();
    settle();
    const { n } = db.statement(`SELECT count(*) AS n FROM traces WHERE tier = 'longlived'`).get() ?? {};
    assert.ok(Number(n) > 5 && Number(n) < 55, `${n} of 60`);
  });
});
