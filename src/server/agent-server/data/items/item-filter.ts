import type { JsonObject } from '../../../../contract/fields.ts';

const OPERATORS = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']);

/** The comparisons that a filter value requires: equality, unless it is an object of operators. */
export function comparisons(wanted: unknown): [string, unknown][] {
  if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)) {
    const entries = Object.entries(wanted);
    if (entries.length > 0 && entries.every(([operator]) => OPERATORS.has(operator))) return entries;
  }
  return [['$eq', wanted]];
}

/** A filter that also requires a value in a field. */
export function narrowed(filter: JsonObject, field: string, value: unknown): JsonObject {
  const existing = Object.hasOwn(filter, field) ? comparisons(filter[field]) : [];
  const isContradiction = existing.some(([operator, wanted]) => operator === '$eq' && wanted !== value);
  // A field that must be both equal and unequal to a value matches nothing.
  return {
    ...filter,
    [field]: { ...Object.fromEntries(existing), $eq: value, ...(isContradiction ? { $ne: value } : {}) },
  };
}
