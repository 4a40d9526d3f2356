import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { FeedbackCreate } from '../../../src/contract/tracing/feedback.ts';
import { requestPurge } from '../../../src/server/purging/purge-jobs.ts';
import { createFeedback } from '../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { agentTrace } from '../../support/agent-trace.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';
import { eventually } from '../../support/wait.ts';

const workspaceId = 'a-workspace';

describe('feedback that comes while its trace is being purged', () => {
  for (const before of ['no', 'other']) {
    it(`is deleted even if its run has already been deleted, with ${before} feedback stored before`, async () => {
      await using folder = await temporaryFolder();
      await using writer = await openTracesWriter();
      const { context } = writer;
      const { db, background } = context;
      const judge = (run_id: string) =>
        db.transaction(() =>
          createFeedback(context, { workspaceId, feedback: FeedbackCreate.parse({ key: 'k', run_id }) }),
        );
      const kept = [randomUUID(), randomUUID()];
      if (before === 'other') judge(kept[0] ?? '');
      db.transaction(() =>
        ingestRequest(context, { workspaceId, single: false, ...agentTrace(folder.path, 35) }),
      );
      db.transaction(() =>
        requestPurge(context, { workspaceId, by: null, purge: { metadata: { user: 'user' } } }),
      );

      /** The smallest slices delete a few runs each. */
      const workUntil = (isThere: (deleted: number) => boolean, sliceMs = 0) =>
        eventually('the purge gets on', () => {
          for (const work of background) work.advance(sliceMs);
          const deleted = db.statement('SELECT count(*) AS n FROM purge_runs').get();
          return isThere(Number(deleted?.n));
        });
      const judgeDeleted = () => {
        const gone = db.statement('SELECT run_id FROM purge_runs ORDER BY run DESC LIMIT 1').get();
        judge(String(gone?.run_id));
      };
      await workUntil((deleted) => deleted > 0);
      judgeDeleted();
      await workUntil((deleted) => deleted > 20);
      judgeDeleted();
      // This feedback waits for a run that has not arrived.
      judge(kept[1] ?? '');
      const job = () => db.statement('SELECT step, error FROM purge_jobs').get();
      await workUntil(() => /verified|failed/.test(String(job()?.step)), 5);
      assert.deepEqual({ ...job() }, { step: 'verified', error: null });
      const left = db.statement('SELECT run_id FROM feedback ORDER BY key').all();
      assert.deepEqual(
        left.map(({ run_id }) => run_id),
        before === 'other' ? kept : kept.slice(1),
      );
    });
  }
});
