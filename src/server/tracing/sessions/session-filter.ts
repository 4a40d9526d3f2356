import { type RawBuilder, sql } from 'kysely';
import { documentContains } from '../../storage/dialect-expressions.ts';
import { parseTime } from '../database/time.ts';
import { compareWith } from '../filters/compare-with.ts';
import { compileComparisons } from '../filters/compile-comparisons.ts';
import { FilterError, type Literal } from '../filters/filter-language.ts';

const TEXTS = ['id', 'name', 'description', 'reference_dataset_id'];
const TIMES = ['start_time', 'end_time', 'last_run_start_time'];

/**
 * Compiles a filter of projects: `like(name, "%x%")`, `gt(start_time, "…")`, `has(metadata, '{"key": "value"}')`,
 * joined by and, or and not.
 * @throws HttpError 422 locating the error in the filter.
 */
export function sessionFilter(text: string): RawBuilder<boolean> {
  return compileComparisons(text, ({ op, field, value, at }) => {
    if (field === 'metadata' && op === 'has') return hasMetadata(value, at);
    if (TIMES.includes(field))
      return compareWith(sql.ref(field), { op, value, at }, (each) => timeOf(each, at));
    if (TEXTS.includes(field)) return compareWith(sql.ref(field), { op, value, at });
    throw new FilterError(
      `unknown field '${field}'; fields are ${[...TEXTS, ...TIMES, 'metadata'].join(', ')}`,
      at,
    );
  });
}

/**
 * The condition for projects whose metadata contains a pattern.
 * @param json the pattern as JSON text.
 * @throws SyntaxError for text that is not JSON.
 */
export function metadataContains(json: string): RawBuilder<boolean> {
  const pattern: unknown = JSON.parse(json);
  return sql<boolean>`(extra is not null and ${documentContains('extra', { metadata: pattern })})`;
}

function hasMetadata(value: unknown, at: number): RawBuilder<boolean> {
  try {
    return metadataContains(String(value));
  } catch {
    throw new FilterError('has(metadata, …) takes a JSON object as text', at);
  }
}

function timeOf(value: Literal, at: number): number {
  const micros = typeof value === 'string' || typeof value === 'number' ? parseTime(value) : undefined;
  if (micros === undefined) throw new FilterError('expected a time in ISO 8601', at);
  return micros;
}
