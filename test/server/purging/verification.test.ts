import assert from 'node:assert/strict';
import { FeedbackCreate } from '../../../src/contract/tracing/feedback.ts';
import { requestPurge } from '../../../src/server/purging/purge-jobs.ts';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import type { WriterContext } from '../../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase, type SqliteTraces } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { createFeedback } from '../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, type TestRun } from '../../support/traces.ts';

const workspaceId = 'a-workspace';
const LATE = '019a7c2e-0000-7000-8000-000000000001';

/** The work of the storage thread, driven by the test, so that it can cause faults between the steps. */
describe('the check after a purge', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: SqliteTraces;
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
    });
  });
  afterEach(async () => {
    for (const work of context.background) work.stop?.();
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  function store(): TestRun {
    const run = newRun();
    const contents: [string, Buffer][] = [
      [`post.${run.id}`, Buffer.from(JSON.stringify(run))],
      [`post.${run.id}.inputs`, Buffer.from(JSON.stringify({ text: 'goldcrest' }))],
      [`post.${run.id}.extra`, Buffer.from(JSON.stringify({ metadata: { user: 'u1' } }))],
    ];
    let offset = 0;
    const parts = contents.map(([name, { length }]) => {
      offset += length;
      return { name, contentType: 'application/json', offset: offset - length, length };
    });
    const bytes = new Uint8Array(Buffer.concat(contents.map(([, content]) => content)));
    const { refused } = db.transaction(() =>
      ingestRequest(context, { workspaceId, single: false, bytes, parts }),
    );
    assert.deepEqual(refused, []);
    return run;
  }

  const judge = (fields: object) =>
    db.transaction(() =>
      createFeedback(context, { workspaceId, feedback: FeedbackCreate.parse({ key: 'k', ...fields }) }),
    );

  /** Works on the purge until it has reached a step. */
  function workUntil(steps: readonly string[]): { step: string; error: string | null } {
    for (let turn = 0; turn < 1000; turn++) {
      for (const work of context.background) work.advance(5);
      const job = db.statement('SELECT step, error FROM purge_jobs').get();
      const step = String(job?.step);
      if (steps.includes(step)) return { step, error: job?.error === null ? null : String(job?.error) };
    }
    throw new Error('The purge makes no progress.');
  }

  function purgeAll(): void {
    for (const work of context.background) work.advance(5);
    const purge = { metadata: { user: 'u1' } };
    db.transaction(() => requestPurge(context, { workspaceId, by: null, purge }));
    workUntil(['verifying']);
  }

  const ended = () => workUntil(['verified', 'failed']);
  const audited = () => {
    const row = db.statement('SELECT event, counts FROM purge_audit ORDER BY id DESC LIMIT 1').get();
    const { remaining } = JSON.parse(String(row?.counts)) as { remaining: Record<string, number> };
    return { event: row?.event, left: Object.entries(remaining).filter(([, count]) => count > 0) };
  };

  it('finds nothing when nothing is left, and deletes its list', () => {
    const runs = Array.from({ length: 450 }, store);
    judge({ run_id: runs[0]?.id, comment: 'well done' });
    purgeAll();
    assert.deepEqual(ended(), { step: 'verified', error: null });
    assert.deepEqual(audited(), { event: 'verified', left: [] });
    for (const table of ['purge_runs', 'purge_targets', 'feedback', 'runs_words_docsize']) {
      assert.equal(db.statement(`SELECT count(*) AS n FROM ${table}`).get()?.n, 0, table);
    }
  });

  it('finds remaining feedback, and reports it in the job and the audit log', () => {
    const run = store();
    judge({ run_id: run.id, comment: 'stubborn' });
    db.sqlite.exec('CREATE TRIGGER stubborn BEFORE DELETE ON feedback BEGIN SELECT raise(IGNORE); END');
    purgeAll();
    const { step, error } = ended();
    assert.equal(step, 'failed');
    assert.match(error ?? '', /"feedback":[1-9]/);
    assert.deepEqual(
      audited().left.map(([place]) => place),
      ['feedback'],
    );
  });

  it('finds remaining words and metadata', () => {
    store();
    const { key, labels } = db.statement('SELECT key, labels FROM runs').get() ?? {};
    const [label = 0] = JSON.parse(String(labels)) as number[];
    purgeAll();
    const row = 2 * Number(key);
    db.sqlite.exec(
      `INSERT INTO runs_words (rowid, project, text) VALUES (${row}, 'p1', 'goldcrest');
       INSERT INTO run_labels (label, run) VALUES (${label}, ${Number(key)})`,
    );
    assert.equal(ended().step, 'failed');
    assert.deepEqual(audited(), {
      event: 'failed',
      left: [
        ['metadata', 1],
        ['words', 1],
      ],
    });
  });

  it('does not count feedback that arrived after the purge, for a run whose trace it does not name', () => {
    const run = store();
    db.statement('UPDATE runs SET id = ? WHERE id = ?').run(LATE, run.id);
    purgeAll();
    judge({ run_id: LATE, comment: 'too late' });
    assert.equal(ended().step, 'verified');
    assert.equal(db.statement('SELECT count(*) AS n FROM feedback').get()?.n, 1);
  });
});
