import { sql } from 'kysely';
import { HttpError, invalid } from '../../http/errors.ts';
import { parseTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/** A moment in a dataset's history; `latest` is the current state. */
export type AsOf = number | 'latest';

/**
 * Resolves `as_of`, which is a time, a tag, or `latest`. @throws HttpError 404 for a tag that the dataset does not
 * have, 422 for a tag without a dataset.
 */
export function resolveAsOf(db: TracesDatabase, dataset: number | undefined, text: string | undefined): AsOf {
  if (text === undefined || text === 'latest') return 'latest';
  // The plus before an offset becomes a space if a client does not encode it in the URL.
  const micros = parseTime(text) ?? parseTime(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (micros !== undefined) return micros;
  if (dataset === undefined) {
    throw invalid(['query', 'as_of'], 'Must be a time in ISO 8601. A tag also needs the dataset.', 'as_of');
  }
  const row = db.statement('SELECT as_of FROM dataset_tags WHERE dataset = ? AND tag = ?').get(dataset, text);
  if (row === undefined) throw new HttpError(404, `The dataset has no version tagged '${text}'.`);
  return Number(row.as_of);
}

/** The condition for the rows of `example_versions` that are valid at a time. */
export function heldAt(asOf: AsOf) {
  if (asOf === 'latest') return sql<boolean>`example_versions.to_version is null`;
  return sql<boolean>`example_versions.from_version <= ${asOf}
    and (example_versions.to_version is null or example_versions.to_version > ${asOf})`;
}
