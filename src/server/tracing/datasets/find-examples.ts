import { sql } from 'kysely';
import { documentContainsText } from '../../storage/dialect-expressions.ts';
import type { WriterContext } from '../context/writer-context.ts';

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
