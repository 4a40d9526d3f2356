import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { FolderBlobs } from '../../../../src/server/storage/folder-blobs.ts';
import { makeWriterContext } from '../../../../src/server/traces-thread/make-writer-context.ts';
import type { WriterContext } from '../../../../src/server/tracing/context/writer-context.ts';
import {
  openTracesDatabase,
  type SqliteTraces,
} from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { createFeedback } from '../../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../../src/server/tracing/ingestion/ingest-request.ts';
import { deleteUnusedLabels } from '../../../../src/server/tracing/runs/label-links.ts';
import { agentTrace } from '../../../support/agent-trace.ts';
import { type DataFolder, dataFolder } from '../../../support/data-folder.ts';
import { WorkCounter } from '../../../support/work-counts.ts';

const SPANS = 50;

/** The maximum cost of a span for the writing thread, with 50 spans per request. */
const budget = {
  statements: 2.2,
  rows: 12.5,
  bytes: 800,
};

describe('an ingested span', () => {
  let folder: DataFolder;
  let db: SqliteTraces;
  let context: WriterContext;
  const counter = new WorkCounter();
  beforeEach(async () => {
    folder = await dataFolder();
    db = await openTracesDatabase(folder.path);
    context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: () => {},
      nudge: () => {},
    });
    // The project and its keys are created once.
    store();
  });
  afterEach(async () => {
    counter.stop();
    for (const work of context.background) work.stop?.();
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  function store(): void {
    const request = { workspaceId: 'workspace', single: false, ...agentTrace(folder.path, SPANS) };
    const { refused } = db.transaction(() => ingestRequest(context, request));
    assert.deepEqual(refused, []);
    const stored = db.statement('SELECT count(*) AS n FROM runs').get();
    assert.equal(Number(stored?.n) % SPANS, 0);
  }

  function costOfSpan(): typeof budget {
    counter.start();
    store();
    const statements = Object.values(counter.stop().statements);
    const sum = (field: 'times' | 'rows' | 'bytes') =>
      statements.reduce((total, statement) => total + statement[field], 0) / SPANS;
    return { statements: sum('times'), rows: sum('rows'), bytes: sum('bytes') };
  }

  it('stays within its budget of statements, rows and bytes', () => {
    const cost = costOfSpan();
    for (const [what, most] of Object.entries(budget)) {
      const is: number = Reflect.get(cost, what);
      assert.ok(is > 0 && is <= most, `${is} ${what} a span; the budget is ${most}`);
    }
  });

  it('costs the same after a label was deleted that no span has any longer', () => {
    const label = { kind: 'tag', name: 'replaced', value: '', type: 'text' } as const;
    const [session, key] = [1, 1_000_000];
    const before = costOfSpan();
    db.statement(
      `INSERT INTO labels (key, session, kind, name, value, type) VALUES (?, ?, 'tag', ?, '', 'text')`,
    ).run(key, session, label.name);
    context.caches.labels.set(session, label, key);
    deleteUnusedLabels(db, context.caches, new Set([key]));
    assert.equal(context.caches.labels.get(session, label), undefined);
    assert.equal(costOfSpan().statements, before.statements);
  });

  it('stays within its budget of statements while feedback waits for runs that never come', () => {
    for (const workspaceId of ['workspace', 'another']) {
      const feedback = { key: 'k', run_id: randomUUID() };
      db.transaction(() => createFeedback(context, { workspaceId, feedback }));
    }
    const { statements } = costOfSpan();
    assert.ok(statements > 0 && statements <= budget.statements, `${statements} statements a span`);
  });
});
