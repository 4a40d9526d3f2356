import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FeedbackCreate } from '../../../src/contract/tracing/feedback.ts';
import { FILES, OTHER_PLACES, PLACES } from '../../../src/server/purging/places.ts';
import { requestPurge } from '../../../src/server/purging/purge-jobs.ts';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { prepareStaging } from '../../../src/server/storage/staging-folder.ts';
import { openPostgresTraces } from '../../../src/server/team/traces/postgres-traces.ts';
import { TRACES_SCHEMA } from '../../../src/server/team/traces/traces-tables.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import { PartGatherer } from '../../../src/server/tracing/api/ingestion/part-gatherer.ts';
import type { WriterContext } from '../../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { nowMicros } from '../../../src/server/tracing/database/time.ts';
import { createFeedback } from '../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { ingestLogs } from '../../../src/server/tracing/otlp/ingest-logs.ts';
import { ingestSpans } from '../../../src/server/tracing/otlp/place-spans.ts';
import { shareRun } from '../../../src/server/tracing/sharing/shares.ts';
import { requirePostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, type TestRun } from '../../support/traces.ts';
import { tracesDatabaseOf } from '../../support/traces-database.ts';

/** FTS5 keeps the words in its own tables. */
const WORD_TABLES = /^runs_words_/;
const declared = { ...PLACES, ...OTHER_PLACES };
const undeclared = (tables: readonly string[]) =>
  tables.filter((table) => !(table in declared) && !WORD_TABLES.test(table) && !table.startsWith('sqlite_'));

describe('the places that can contain data of a trace', () => {
  it('are declared, for every table of traces.db', async () => {
    await using folder = await temporaryFolder();
    const db = await openTracesDatabase(folder.path);
    const tables = db.sqlite.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
    db.close();
    assert.ok(tables.length > 20);
    assert.deepEqual(undeclared(tables.map(({ name }) => String(name))), []);
  });

  it('are declared, for every table in PostgreSQL', async function () {
    await using postgres = await requirePostgres(this);
    const { url, link } = await tracesDatabaseOf(postgres);
    const db = await openPostgresTraces({ url, thread: new URL(link) }, 'write');
    const tables = db.statement('SELECT tablename FROM pg_tables WHERE schemaname = ?').all(TRACES_SCHEMA);
    db.close();
    assert.ok(tables.length > 20);
    assert.deepEqual(undeclared(tables.map(({ tablename }) => String(tablename))), []);
  });

  it('are declared, for every file of a data folder', async () => {
    await using folder = await temporaryFolder();
    await using writer = await openWriter(folder.path);
    await store(writer.context, folder.path);
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(folder.path, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'),
      );
    assert.ok(files.some((file) => file.startsWith('blobs/ttl_')));
    assert.deepEqual(
      files.filter((name) => !FILES.some(({ file }) => file.test(name))),
      [],
    );
  });
});

describe('the check after a purge says what is left', () => {
  const places = Object.entries(PLACES).filter(
    ([table, { checks }]) => checks !== undefined && table !== 'runs',
  );
  for (const [table, { checks = [] }] of places) {
    it(`in ${table}`, async () => {
      await using folder = await temporaryFolder();
      await using writer = await openWriter(folder.path);
      const { context } = writer;
      const { db } = context;
      const run = await store(context, folder.path);
      const { n } = db.statement(`SELECT count(*) AS n FROM ${table}`).get() ?? {};
      assert.ok(Number(n) > 0, 'there is something in it');
      db.statement(`CREATE TRIGGER stubborn BEFORE DELETE ON ${table} BEGIN SELECT raise(IGNORE); END`).run();
      const job = purge(context, run, ['verified', 'failed']);
      assert.equal(job.step, 'failed');
      for (const { place } of checks) assert.match(String(job.error), new RegExp(`"${place}":[1-9]`));
    });
  }

  it('in files that nothing names', async () => {
    await using folder = await temporaryFolder();
    await using writer = await openWriter(folder.path);
    const run = await store(writer.context, folder.path);
    purge(writer.context, run, ['verifying']);
    const unnamed = path.join(folder.path, 'blobs', 'ttl_14d', run.trace_id);
    mkdirSync(unnamed, { recursive: true });
    writeFileSync(path.join(unnamed, 'replaced'), 'goldcrest');
    const job = workUntil(writer.context, ['verified', 'failed']);
    assert.match(`${job.step}: ${job.error}`, /^failed: .*"files":1/);
  });
});

const WORKSPACE = 'a-workspace';

async function openWriter(dataDir: string) {
  const db = await openTracesDatabase(dataDir);
  const blobs = new FolderBlobs(dataDir);
  const context = makeWriterContext({ db, blobs, dataDir, send: () => {}, nudge: () => {} });
  return {
    context,
    async [Symbol.asyncDispose]() {
      for (const work of context.background) work.stop?.();
      db.close();
    },
  };
}

/** Purges a trace until the job has reached a step. */
function purge(context: WriterContext, run: TestRun, steps: readonly string[]) {
  const { db } = context;
  const session = db.statement('SELECT id FROM sessions').get();
  const body = { session_id: String(session?.id), trace_ids: [run.trace_id] };
  db.transaction(() => requestPurge(context, { workspaceId: WORKSPACE, by: null, purge: body }));
  return workUntil(context, steps);
}

function workUntil({ db, background }: WriterContext, steps: readonly string[]) {
  for (let turn = 0; turn < 1000; turn++) {
    for (const work of background) work.advance(20);
    const job = db.statement('SELECT step, error FROM purge_jobs').get();
    if (steps.includes(String(job?.step))) return { step: job?.step, error: job?.error };
  }
  throw new Error('The purge makes no progress.');
}

/** Stores a trace with data in every place. */
async function store(context: WriterContext, dataDir: string): Promise<TestRun> {
  const { db } = context;
  const run = newRun({ tags: ['a tag'] });
  const late = newRun({ parent: run });
  await prepareStaging(dataDir);
  const gatherer = new PartGatherer(dataDir);
  const inputs = Buffer.from(JSON.stringify({ text: 'goldcrest '.repeat(200_000) }));
  gatherer.addJson(`post.${run.id}`, run);
  await gatherer.add({
    ...{ name: `post.${run.id}.inputs`, filename: undefined, contentType: 'application/json' },
    ...{ content: [inputs], length: inputs.length },
  });
  gatherer.addJson(`post.${run.id}.outputs`, { text: 'goldcrest' });
  gatherer.addJson(`post.${run.id}.extra`, { metadata: { user: 'u1' } });
  gatherer.addJson(`patch.${late.id}`, late);
  const { bytes, parts } = gatherer.finish();
  const attached = Buffer.from('attached');
  const attachment = {
    ...{ name: `attachment.${run.id}.note`, contentType: 'text/plain' },
    ...{ offset: bytes.length, length: attached.length },
  };
  const { refused } = db.transaction(() =>
    ingestRequest(context, {
      ...{ workspaceId: WORKSPACE, single: false },
      ...{ bytes: Buffer.concat([bytes, attached]), parts: [...parts, attachment] },
    }),
  );
  assert.deepEqual(refused, []);
  db.transaction(() => {
    const feedback = FeedbackCreate.parse({ key: 'k', run_id: run.id, comment: 'well done' });
    createFeedback(context, { workspaceId: WORKSPACE, feedback });
    shareRun(context, { workspaceId: WORKSPACE, runId: run.id, token: undefined });
    const span = {
      ...{ trace: run.trace_id.replaceAll('-', ''), span: 'a'.repeat(16), parent: 'b'.repeat(16) },
      ...{ runId: undefined, traceId: undefined, parentRunId: undefined, dottedOrder: undefined },
      ...{ start: nowMicros(), fields: { name: 'waits', run_type: 'chain' } },
    };
    ingestSpans(context, { workspaceId: WORKSPACE, spans: [span] });
    const event = { name: 'gen_ai.user.message', kwargs: { content: 'goldcrest' } };
    ingestLogs(context, { workspaceId: WORKSPACE, logs: [{ trace: span.trace, span: span.span, event }] });
  });
  return run;
}
