import type { Selectable } from 'kysely';
import type { PurgeJobTable } from '../storage/traces-schema.ts';
import { findWorkspace } from '../tracing/sessions/find-session.ts';
import { nowMicros } from '../tracing/time.ts';
import type { WriterContext } from '../tracing/writer-context.ts';
import { leftOfWorkspace } from './erase-workspace.ts';
import type { PurgeFilter } from './match-traces.ts';

/** Where something of a trace could be left. */
const PLACES = [
  ['traces', 'SELECT count(*) AS n FROM traces WHERE key IN (SELECT trace FROM purge_targets WHERE job = ?)'],
  ['runs', 'SELECT count(*) AS n FROM runs WHERE trace IN (SELECT trace FROM purge_targets WHERE job = ?)'],
  [
    'payloads',
    'SELECT count(*) AS n FROM payload_blocks WHERE trace IN (SELECT trace FROM purge_targets WHERE job = ?)',
  ],
  [
    'attachments',
    'SELECT count(*) AS n FROM attachments WHERE trace IN (SELECT trace FROM purge_targets WHERE job = ?)',
  ],
] as const;

/** Queries again, records what it found in the audit log, and ends the job. */
export function verifyPurge(context: WriterContext, job: Selectable<PurgeJobTable>): void {
  const { db } = context;
  db.transaction(() => {
    const remaining: Record<string, number> = {};
    let total = 0;
    for (const [place, sql] of PLACES) {
      const found = Number(db.statement(sql).get(job.id)?.n ?? 0);
      remaining[place] = found;
      total += found;
    }
    const { example_ids = [], workspace_id } = JSON.parse(job.filter) as PurgeFilter;
    if (example_ids.length > 0) {
      remaining.examples = countExamples(context, job.workspace, example_ids);
      total += remaining.examples;
    }
    if (workspace_id !== undefined) {
      const left = leftOfWorkspace(db, findWorkspace(db, workspace_id) ?? -1);
      if (Object.keys(left).length > 0) {
        // A request that was under way when the workspace was closed: it goes as well.
        db.statement(`UPDATE purge_jobs SET step = 'matching' WHERE id = ?`).run(job.id);
        return;
      }
    }
    const gone = total === 0;
    db.run(
      db.build
        .updateTable('purge_jobs')
        .set({
          step: gone ? 'verified' : 'failed',
          finished_at: nowMicros(),
          error: gone ? null : `Still there after deletion: ${JSON.stringify(remaining)}`,
        })
        .where('id', '=', job.id),
    );
    context.audit(job, gone ? 'verified' : 'failed', {
      matched: job.matched,
      deleted: job.deleted,
      deleted_runs: job.deleted_runs,
      remaining,
    });
    db.statement('DELETE FROM purge_targets WHERE job = ?').run(job.id);
  });
}

/** Versions of examples that still hold something. */
function countExamples({ db }: WriterContext, workspace: number, ids: readonly string[]): number {
  const statement = db.statement(
    `SELECT count(*) AS n FROM example_versions WHERE id = ? AND workspace = ?
       AND (inputs IS NOT NULL OR outputs IS NOT NULL OR metadata IS NOT NULL)`,
  );
  return ids.reduce((sum, id) => sum + Number(statement.get(id, workspace)?.n ?? 0), 0);
}
