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

/** The filter, narrowed to items with a certain value in a field. */
export function narrowed(filter: JsonObject, field: string, value: unknown): JsonObject {
  const asked = Object.hasOwn(filter, field) ? comparisons(filter[field]) : [];
  const isOther = asked.some(([operator, wanted]) => operator === '$eq' && wanted !== value);
  // A value that must be both equal to something and unlike it matches nothing.
  return {
    ...filter,
    [field]: { ...Object.fromEntries(asked), $eq: value, ...(isOther ? { $ne: value } : {}) },
  };
}
