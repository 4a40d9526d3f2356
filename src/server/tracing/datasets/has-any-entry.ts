import { sql } from 'kysely';
import { documentContains } from '../../storage/dialect-expressions.ts';
import type { Condition } from '../database/condition.ts';

/** The condition for rows of `example_versions` whose metadata has at least one of the entries; false without any. */
export function hasAnyEntry(metadata: Readonly<Record<string, unknown>>): Condition {
  const entries = Object.entries(metadata).map(([name, value]) =>
    documentContains('example_versions.metadata', { [name]: value }),
  );
  return entries.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(entries, sql` or `)})`;
}
