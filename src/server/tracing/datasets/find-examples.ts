import type { WriterContext } from '../context/writer-context.ts';
import { hasAnyEntry } from './has-any-entry.ts';

/**
 * Finds examples of which any version has at least one of the metadata entries.
 * @param until considers only versions created by then, in microseconds since 1970
 * @returns their IDs, each once; none if there are no entries
 */
export function findExamplesWithMetadata(
  { db }: Pick<WriterContext, 'db'>,
  workspace: number,
  metadata: Readonly<Record<string, unknown>>,
  until = Number.MAX_SAFE_INTEGER,
): string[] {
  return db
    .all(
      db.build
        .selectFrom('example_versions')
        .select('id')
        .distinct()
        .where('workspace', '=', workspace)
        .where('from_version', '<=', until)
        .where(hasAnyEntry(metadata)),
    )
    .map((row) => row.id);
}
