import { type RawBuilder, sql } from 'kysely';
import { documentContainsText, hasMember } from '../../storage/dialect-expressions.ts';
import { compareWith } from '../filters/compare-with.ts';
import { compileComparisons } from '../filters/compile-comparisons.ts';
import { type Comparison, FilterError } from '../filters/filter-language.ts';

/**
 * The filter language over examples: `exists(metadata, "key")`, `has(metadata, '{"key": "value"}')`, `eq(id, "…")`,
 * joined by and, or and not.
 * @throws HttpError 422 locating the error in the filter.
 */
export function exampleFilter(text: string): RawBuilder<boolean> {
  return compileComparisons(text, compare);
}

/** The columns that can be compared with eq and neq. */
const COLUMNS = ['id', 'source_run_id', 'name'];

function compare({ op, field, value, at }: Comparison): RawBuilder<boolean> {
  if (Array.isArray(value)) throw new FilterError(`${op}() takes a field and a value`, at);
  if (field === 'metadata' && op === 'exists') {
    // Clients send the key as JSON text: `"\"key\""`.
    return hasMember('example_versions.metadata', String(value).replaceAll('"', ''));
  }
  if (field === 'metadata' && op === 'has') {
    try {
      JSON.parse(String(value));
    } catch {
      throw new FilterError('has(metadata, …) takes a JSON object as text', at);
    }
    return documentContainsText('example_versions.metadata', String(value));
  }
  if (!COLUMNS.includes(field) || (op !== 'eq' && op !== 'neq')) {
    throw new FilterError(
      `${op}(${field}, …) is not supported; use has(metadata, …), exists(metadata, …), or eq and neq with ${COLUMNS.join(', ')}`,
      at,
    );
  }
  return compareWith(sql.ref(`example_versions.${field}`), { op, value, at });
}
