import type { WriterContext } from '../context/writer-context.ts';

/**
 * Deletes examples in all their versions, with their attachments. Rows with only their IDs, names and times remain, marked
 * as deleted.
 */
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
