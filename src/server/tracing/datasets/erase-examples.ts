import { sql } from 'kysely';
import { documentContainsText } from '../../storage/dialect-expressions.ts';
import type { WriterContext } from '../context/writer-context.ts';

/** Clears the contents of examples in all versions. Only their IDs and names remain. */
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

/**
 * Finds examples of which any version has at least one of the metadata entries. @param until limits this to versions
 * created by that time, in microseconds
 */
export function examplesWithMetadata(
  { db }: Pick<WriterContext, 'db'>,
  workspace: number,
  metadata: Readonly<Record<string, unknown>>,
  until = Number.MAX_SAFE_INTEGER,
): string[] {
  const pairs = Object.entries(metadata).map(([name, value]) =>
    documentContainsText('metadata', JSON.stringify({ [name]: value })),
  );
  if (pairs.length === 0) return [];
  return db
    .all(
      db.build
        .selectFrom('example_versions')
        .select('id')
        .distinct()
        .where('workspace', '=', workspace)
        .where('from_version', '<=', until)
        .where(sql<boolean>`(${sql.join(pairs, sql` or `)})`),
    )
    .map((row) => row.id);
}
