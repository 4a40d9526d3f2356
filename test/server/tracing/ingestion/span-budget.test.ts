import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { FolderBlobs } from '../../../../src/server/storage/blobs.ts';
import { makeWriterContext } from '../../../../src/server/traces-thread/make-writer-context.ts';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { formatSegment } from '../../../../src/server/tracing/ingestion/dotted-order.ts';
import { ingestRequest } from '../../../../src/server/tracing/ingestion/ingest-request.ts';
import { PartGatherer } from '../../../../src/server/tracing/ingestion/part-gatherer.ts';
import { nowMicros } from '../../../../src/server/tracing/time.ts';
import { dataFolder } from '../../../support/data-folder.ts';
import { WorkCounter } from '../../../support/work-counts.ts';

const SPANS = 50;

/** The most that a span may cost the thread that writes, when 50 come in one request. */
const budget = {
  statements: 4,
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
      const request = { workspaceId: 'workspace', single: false, ...agentTrace(folder.path) };
      const { refused } = db.transaction(() => ingestRequest(context, request));
      assert.deepEqual(refused, []);
      const stored = db.statement('SELECT count(*) AS n FROM runs').get();
      assert.equal(Number(stored?.n) % SPANS, 0);
    }
  });
});

/** A root and its children, each with ten labels as LangGraph's metadata make them, two of its own. */
function agentTrace(dataDir: string) {
  const gatherer = new PartGatherer(dataDir);
  const trace_id = randomUUID();
  const start = nowMicros();
  const root = formatSegment(start, trace_id);
  for (let at = 0; at < SPANS; at++) {
    const id = at === 0 ? trace_id : randomUUID();
    gatherer.addJson(`post.${id}`, {
      id,
      trace_id,
      name: 'step',
      run_type: 'chain',
      session_name: 'budget',
      start_time: start / 1000 + at,
      end_time: start / 1000 + at + 1,
      dotted_order: at === 0 ? root : `${root}.${formatSegment(start + at * 1000, id)}`,
      ...(at === 0 ? {} : { parent_run_id: trace_id }),
    });
    gatherer.addJson(`post.${id}.inputs`, { question: 'What is it?' });
    gatherer.addJson(`post.${id}.outputs`, { answer: 'It is this.' });
    gatherer.addJson(`post.${id}.extra`, {
      metadata: {
        graph_id: 'agent',
        thread_id: trace_id,
        assistant_id: 'assistant',
        user: 'user',
        revision: 'r1',
        ls_provider: 'openai',
        langgraph_node: 'step',
        langgraph_version: '1.0',
        langgraph_step: at,
        langgraph_checkpoint_ns: `step:${id}`,
      },
    });
  }
  return gatherer.finish();
}
