import type { RunsQuery } from '../../../../contract/tracing/runs.ts';
import { invalid } from '../../../http/errors.ts';
import { parseTime } from '../../database/time.ts';

const DAY_MS = 86_400_000;

/** The unrestricted query, from which those of the v2 form are built. */
export const DEFAULT_QUERY: RunsQuery = { limit: 100, order: 'desc' };

/** Without any of these a query would read all runs. @throws HttpError 422 */
export function requireSome<Field extends string>(
  body: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
): void {
  const isSaid = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  if (fields.some((field) => isSaid(body[field]))) return;
  throw invalid(['body'], `At least one of ${fields.join(', ')} is required.`, 'missing');
}

/** A time under this interface's name; the query below has another name for it. @throws HttpError 422 */
export function time<Field extends string>(
  given: Readonly<Partial<Record<Field, string | null | undefined>>>,
  field: Field,
  place = 'body',
): string | undefined {
  const value = given[field] ?? undefined;
  if (value !== undefined && parseTime(value) === undefined)
    throw invalid([place, field], 'Must be a time in ISO 8601.', 'datetime');
  return value;
}

/** The earliest start time of a query that names none. */
export function dayAgo(): string {
  return new Date(Date.now() - DAY_MS).toISOString();
}
