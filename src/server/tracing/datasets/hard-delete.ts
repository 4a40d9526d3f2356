import { notFound } from '../../http/errors.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { eraseExamples } from './erase-examples.ts';

/**
 * Removes the inputs, outputs, metadata and attachments of examples from all versions
 * (docs/interface/purging.md#examples). Readers stop seeing them immediately; a job then removes them from disk and
 * verifies it.
 * @throws HttpError 404; then nothing has been deleted
 */
export function hardDeleteExamples(
  context: WriterContext,
  request: { workspaceId: string; by: string | null; exampleIds: readonly string[] },
): { jobId: string } {
  const { db } = context;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const known = db.statement('SELECT 1 FROM example_versions WHERE id = ? AND workspace = ? LIMIT 1');
  for (const id of request.exampleIds) {
    if (known.get(id, workspace) === undefined) throw notFound('Example', id);
  }
  eraseExamples(context, workspace, request.exampleIds);
  const { exampleIds, by } = request;
  const filter = { example_ids: exampleIds };
  const examples = exampleIds.length;
  return { jobId: context.queuePurge({ workspace, kind: 'examples', filter, by, atOnce: true, examples }) };
}
