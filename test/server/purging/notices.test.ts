import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { addJob } from '../../../src/server/purging/purge-jobs.ts';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { prepareStaging } from '../../../src/server/storage/staging-folder.ts';
import { makeWriterContext } from '../../../src/server/traces-thread/make-writer-context.ts';
import type { TraceChange } from '../../../src/server/tracing/context/changes.ts';
import type { WriterContext } from '../../../src/server/tracing/context/writer-context.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import type { TracesDatabase } from '../../../src/server/tracing/database/traces-database.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun } from '../../support/traces.ts';
import { patience } from '../../support/wait.ts';

const workspaceId = 'a-workspace';

describe('a purge', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let blobs: FolderBlobs;
  let db: TracesDatabase;
  let context: WriterContext;
  /** The changes so far, with the number of stored traces that another connection saw at the time. */
  let changes: (TraceChange & { readonly stored: unknown })[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    blobs = new FolderBlobs(folder.path);
    db = await openTracesDatabase(folder.path);
    await prepareStaging(folder.path);
    changes = [];
    context = makeWriterContext({
      db,
      blobs,
      dataDir: folder.path,
      send: ({ notice }) => {
        if (!('changes' in notice)) return;
        const stored = storedTraces();
        changes.push(...notice.changes.map((change) => ({ ...change, stored })));
      },
      nudge: () => {},
    });
  });
  afterEach(async () => {
    for (const work of context.background) work.stop?.();
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  function storedTraces(): unknown {
    using other = new DatabaseSync(path.join(folder.path, 'traces.db'));
    return other.prepare('SELECT count(*) AS n FROM traces').get()?.n;
  }

  /** Stores traces, and purges them in slices of this time. @returns the IDs of the traces. */
  function purge(count: number, sliceMs: number): string[] {
    const runs = Array.from({ length: count }, () => newRun());
    for (const run of runs) {
      const bytes = Buffer.from(JSON.stringify(run));
      const part = { name: `post.${run.id}`, contentType: 'application/json', offset: 0 };
      db.transaction(() =>
        ingestRequest(context, {
          workspaceId,
          single: false,
          bytes: new Uint8Array(bytes),
          parts: [{ ...part, length: bytes.length }],
        }),
      );
    }
    const trace_ids = runs.map((run) => run.trace_id);
    const workspace = Number(db.statement('SELECT key FROM workspaces WHERE id = ?').get(workspaceId)?.key);
    addJob(context, { workspace, kind: 'traces', filter: { trace_ids }, by: null, atOnce: true });
    const until = Date.now() + 10_000 * patience;
    while (context.background.filter((work) => work.advance(sliceMs)).length > 0) {
      assert.ok(Date.now() < until, 'the background work comes to an end');
    }
    return trace_ids;
  }

  const deletions = () => changes.filter(({ action }) => action === 'deleted');

  it('reports each deleted trace', () => {
    const ids = purge(3, 1_000);
    assert.deepEqual(
      deletions()
        .map(({ id }) => id)
        .sort(),
      ids.sort(),
    );
  });

  it('reports deleted traces once the deletion is stored', () => {
    purge(2, 0);
    assert.deepEqual(
      deletions().map(({ stored }) => stored),
      [1, 0],
    );
  });

  it('reports its failure', () => {
    blobs.removeTrace = () => {
      throw new Error('no');
    };
    purge(1, 1_000);
    const job = db.statement('SELECT id, step FROM purge_jobs').get();
    assert.equal(job?.step, 'failed');
    assert.ok(changes.some(({ action, id }) => action === 'updated' && id === job.id));
    for (const list of ['purge_targets', 'purge_runs']) {
      assert.equal(db.statement(`SELECT count(*) AS n FROM ${list}`).get()?.n, 0, `${list} is kept`);
    }
  });
});
