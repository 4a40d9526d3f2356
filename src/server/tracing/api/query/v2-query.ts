import type { RunsQuery } from '../../../../contract/tracing/runs.ts';
import { invalid } from '../../../http/errors.ts';
import { requireTime } from '../../database/time.ts';

const DAY_MS = 86_400_000;

/** The default number of traces, conversations or examples on a page of the v2 form. */
export const DEFAULT_PAGE_SIZE = 20;

/** The times in the body of a query. */
type TimeRange = Readonly<Partial<Record<'min_start_time' | 'max_start_time', string | null | undefined>>>;

/** Queries in the v2 form begin with this one: all runs, latest first, 100 per page. */
export const DEFAULT_QUERY: RunsQuery = { limit: 100, order: 'desc' };

/**
 * Requires at least one of the given fields: without any of them, a query would read all runs.
 * @throws HttpError 422
 */
export function requireSome<Field extends string>(
  body: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
): void {
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  if (fields.some((field) => isGiven(body[field]))) return;
  throw invalid(['body'], `At least one of ${fields.join(', ')} is required.`, 'missing');
}

/**
 * Reads a time from a field of a request, and checks its format.
 * @param place the part of the request.
 * @throws HttpError 422
 */
export function timeIn<Field extends string>(
  given: Readonly<Partial<Record<Field, string | null | undefined>>>,
  field: Field,
  place = 'body',
): string | undefined {
  const value = given[field] ?? undefined;
  if (value !== undefined) requireTime(value, [place, field]);
  return value;
}

/**
 * The earliest start time of a query, in ISO 8601: a day ago if the query contains neither times nor IDs.
 * @param ids the IDs of the query, if any. @throws HttpError 422
 */
export function startIn(body: TimeRange, ids: unknown): string | undefined {
  const start = timeIn(body, 'min_start_time');
  if (start !== undefined || ids || body.max_start_time) return start;
  return new Date(Date.now() - DAY_MS).toISOString();
}
