import { z } from 'zod';
import type { AuthQuestion } from '../../../contract/endpoint.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import { narrowed } from '../data/items/item-filter.ts';
import { HandlerError } from './handler-error.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
type Scalar = z.output<typeof Scalar>;

/** The value that a field must have, or the values that its list must contain. */
interface Condition {
  readonly $eq?: Scalar | undefined;
  readonly $contains?: readonly Scalar[] | undefined;
}

const Condition = z.union([
  Scalar.transform(($eq): Condition => ({ $eq })),
  z
    .strictObject({
      $eq: Scalar.optional(),
      $contains: z.union([Scalar.transform((value) => [value]), z.array(Scalar).min(1)]).optional(),
    })
    .refine((operators) => Object.keys(operators).length > 0)
    .transform((operators): Condition => operators),
]);

/**
 * Filters that handlers of a project's `auth` return, by field of the metadata (public SDK, `FilterType`):
 * the value of the field, `{$eq: value}`, or `{$contains: …}` with one or several values that a list must
 * contain.
 */
export type Filters = Readonly<Record<string, Condition>>;

/**
 * Parses the filters that a handler returned.
 * @throws HandlerError for an unknown filter, because ignoring it would show more than intended.
 */
export function readFilters({ on, action }: AuthQuestion, answer: JsonObject | undefined): Filters {
  const filters = Object.entries(answer ?? {}).map(([field, wanted]) => {
    const condition = Condition.safeParse(wanted);
    if (condition.success && !(on === 'store' && condition.data.$contains !== undefined)) {
      return [field, condition.data] as const;
    }
    const known =
      on === 'store' ? 'a value or {$eq: value}' : 'a value, {$eq: value} or {$contains: value or list}';
    throw new HandlerError(
      `The auth handler of ${on}:${action} returned the filter ${JSON.stringify({ [field]: wanted })}. ` +
        `Known filters of ${on} are ${known}, with strings, numbers and booleans.`,
    );
  });
  return Object.fromEntries(filters);
}

/** Whether metadata matches all filters. */
export function matchesFilters(metadata: JsonObject, filters: Filters): boolean {
  return Object.entries(filters).every(([field, { $eq, $contains }]) => {
    const value = metadata[field];
    if ($eq !== undefined && value !== $eq) return false;
    return (
      $contains === undefined || (Array.isArray(value) && $contains.every((item) => value.includes(item)))
    );
  });
}

/** The filters as metadata: created resources get it, and the results of searches must contain it. */
export function asMetadata(filters: Filters): JsonObject {
  return Object.fromEntries(
    Object.entries(filters).map(([field, { $eq, $contains }]) => [field, $eq ?? $contains]),
  );
}

/** Adds the handlers' filters to the filter of a store search. */
export function asItemFilter(filters: Filters, requested: JsonObject): JsonObject {
  return Object.entries(filters).reduce(
    (filter, [field, { $eq }]) => narrowed(filter, field, $eq),
    requested,
  );
}
