import { sql } from 'kysely';
import { notFound } from '../../http/errors.ts';
import { addJob } from '../../purging/purge-jobs.ts';
import { workspaceKey } from '../sessions/find-session.ts';
import type { WriterContext } from '../writer-context.ts';

/**
 * Removes inputs, outputs and metadata of examples from all versions, attachments included (specification, "Example
 * deletion"). They are gone for every reader at once; a job then takes them off the disk and verifies it.
 * @throws HttpError 404, when nothing of the request has been deleted
 */
export function hardDeleteExamples(
  context: WriterContext,
  request: { workspaceId: string; by: string | null; exampleIds: readonly string[] },
): { jobId: string } {
  const { db } = context;
  const workspace = workspaceKey(db, context.caches, request.workspaceId);
  const known = db.statement('SELECT 1 FROM example_versions WHERE id = ? AND workspace = ? LIMIT 1');
  for (const id of request.exampleIds) {
    if (known.get(id, workspace) === undefined) throw notFound('Example', id);
  }
  eraseExamples(context, workspace, request.exampleIds);
  const { exampleIds, by } = request;
  const filter = { example_ids: exampleIds };
  const examples = exampleIds.length;
  return { jobId: addJob(context, { workspace, kind: 'examples', filter, by, atOnce: true, examples }) };
}

/** Leaves of each version no more than that there was one. */
export function eraseExamples({ db }: WriterContext, workspace: number, ids: readonly string[]): void {
  const erase = db.statement(
    `UPDATE example_versions SET deleted = 1, inputs = NULL, outputs = NULL, metadata = NULL, attachments = NULL,
       source_run_id = NULL WHERE id = ? AND workspace = ?`,
  );
  const files = db.statement('DELETE FROM example_files WHERE example = ? AND workspace = ?');
  for (const id of ids) {
    erase.run(id, workspace);
    files.run(id, workspace);
  }
}

/** Examples any version of which has any one of the pairs. */
export function examplesWithMetadata(
  { db }: Pick<WriterContext, 'db'>,
  workspace: number,
  metadata: Readonly<Record<string, unknown>>,
): string[] {
  const pairs = Object.entries(metadata).map(
    ([name, value]) => sql<boolean>`json_contains(metadata, ${JSON.stringify({ [name]: value })})`,
  );
  if (pairs.length === 0) return [];
  return db
    .all(
      db.build
        .selectFrom('example_versions')
        .select('id')
        .distinct()
        .where('workspace', '=', workspace)
        .where(sql<boolean>`(${sql.join(pairs, sql` or `)})`),
    )
    .map((row) => row.id);
}
