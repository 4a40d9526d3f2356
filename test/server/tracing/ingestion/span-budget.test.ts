import assert from 'node:assert/strict';
import { FolderBlobs } from '../../../../src/server/storage/blobs.ts';
import { makeWriterContext } from '../../../../src/server/traces-thread/make-writer-context.ts';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { ingestRequest } from '../../../../src/server/tracing/ingestion/ingest-request.ts';
import { agentTrace } from '../../../support/agent-trace.ts';
import { dataFolder } from '../../../support/data-folder.ts';
import { WorkCounter } from '../../../support/work-counts.ts';

const SPANS = 50;

/** The most that a span may cost the thread that writes, when 50 come in one request. */
const budget = {
  statements: 2.2,
  rows: 12.5,
  bytes: 800,
};

describe('an ingested span', () => {
  it('stays within its budget of statements, rows and bytes', async () => {
    await using folder = await dataFolder();
    const db = await openTracesDatabase(folder.path);
    const context = makeWriterContext({
      db,
      blobs: new FolderBlobs(folder.path),
      dataDir: folder.path,
      send: () => {},
      nudge: () => {},
    });
    const counter = new WorkCounter();
    try {
      // The project and its keys are made once.
      store();
      counter.start();
      store();
      const statements = Object.values(counter.stop().statements);
      const sum = (field: 'times' | 'rows' | 'bytes') =>
        statements.reduce((total, statement) => total + statement[field], 0) / SPANS;
      const cost = { statements: sum('times'), rows: sum('rows'), bytes: sum('bytes') };
      for (const [what, most] of Object.entries(budget)) {
        const is: number = Reflect.get(cost, what);
        assert.ok(is > 0 && is <= most, `${is} ${what} a span; the budget is ${most}`);
      }
    } finally {
      counter.stop();
      for (const work of context.background) work.stop?.();
      db.close();
    }

    function store(): void {
      const request = { workspaceId: 'workspace', single: false, ...agentTrace(folder.path, SPANS) };
      const { refused } = db.transaction(() => ingestRequest(context, request));
      assert.deepEqual(refused, []);
      const stored = db.statement('SELECT count(*) AS n FROM runs').get();
      assert.equal(Number(stored?.n) % SPANS, 0);
    }
  });
});
