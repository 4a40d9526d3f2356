import assert from 'node:assert/strict';
import { previewPurge } from '../../../src/server/purging/purge-jobs.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { agentTrace } from '../../support/agent-trace.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, postParts, sendParts, sessionId } from '../../support/traces.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';

interface Counts {
  readonly traces: number;
  readonly runs: number;
  readonly feedback: number;
  readonly attachments: number;
  readonly bytes: number;
}

describe('the preview of a purge', () => {
  describe('of several traces', () => {
    let platform: Platform;
    before(async () => {
      platform = await startPlatform();
    });
    after(() => platform.close());

    it('counts the same as the previews of each in total', async () => {
      const store = async (size: number): Promise<string> => {
        const root = newRun();
        const parts = [
          ...postParts(root, { inputs: { text: 'a'.repeat(size) } }),
          ...postParts(newRun({ parent: root }), { outputs: { text: 'b'.repeat(size) } }),
          { name: `attachment.${root.id}.file`, contentType: 'text/plain', content: Buffer.alloc(size) },
        ];
        assert.equal((await sendParts(platform, parts)).status, 202);
        const body = { key: 'k', run_id: root.id, score: 1 };
        assert.equal((await platform.fetch('/feedback', { method: 'POST', body })).status, 200);
        return root.trace_id;
      };
      const traces = [await store(10), await store(1_200_000), await store(100)];
      const session_id = await sessionId(platform, 'test');
      const preview = async (trace_ids: readonly string[]): Promise<Counts> => {
        const body = { session_id, trace_ids, dry_run: true };
        const response = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
        return ((await response.json()) as { would_delete: Counts }).would_delete;
      };
      const { bytes, ...counts } = await preview(traces);
      assert.deepEqual(counts, { traces: 3, runs: 6, feedback: 3, attachments: 3 });
      let sum = 0;
      for (const trace of traces) sum += (await preview([trace])).bytes;
      assert.equal(bytes, sum);
      assert.ok(bytes > 3_600_000, `${bytes} bytes, with three payloads of 1.2 MB`);
    });
  });

  it('queries the database as often for many traces as for few', async () => {
    await using folder = await temporaryFolder();
    await using writer = await openTracesWriter();
    const { db } = writer.context;
    const store = (traces: number) => {
      for (let at = 0; at < traces; at++) {
        const request = { workspaceId: 'one', single: false, ...agentTrace(folder.path, 1) };
        db.transaction(() => ingestRequest(writer.context, request));
      }
    };
    let asked = 0;
    const statement = db.statement.bind(db);
    db.statement = (sql) => {
      const prepared = statement(sql);
      const counted =
        <Result>(ask: (...values: readonly unknown[]) => Result) =>
        (...values: readonly unknown[]) => {
          asked++;
          return ask.apply(prepared, [...values]);
        };
      return { all: counted(prepared.all), get: counted(prepared.get), run: counted(prepared.run) };
    };
    const preview = () => {
      asked = 0;
      const purge = { metadata: { user: 'user' } };
      const { would_delete } = previewPurge(
        { db, blobs: writer.context.blobs },
        { workspaceId: 'one', purge },
      );
      return { traces: would_delete.traces, asked };
    };
    store(3);
    const few = preview();
    store(40);
    assert.deepEqual([few.traces, preview()], [3, { traces: 43, asked: few.asked }]);
  });
});
