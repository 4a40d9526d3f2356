import { isObject } from '../process/objects.ts';
import { shorten } from '../process/shorten.ts';

/**
 * The maximum length of an answer of a tool, in characters of JSON. It is small because the answer stays in the
 * context of the model, which reads it again with every request.
 */
export const MAX_ANSWER = 8_000;

/**
 * Limits on the length of texts, the items of lists and objects, and depth, from loose to strict. The first
 * that makes a value short enough is used.
 */
const LIMITS = [
  { text: 2_000, list: 50, depth: 12 },
  { text: 600, list: 20, depth: 8 },
  { text: 200, list: 10, depth: 6 },
  { text: 80, list: 5, depth: 4 },
  { text: 40, list: 2, depth: 2 },
];

/**
 * Shortens a value to a maximum length. A shortened text ends with the number of characters that were cut,
 * and a shortened list or object with the number of items that were left out. If no limits suffice, the
 * result is the beginning of the value's JSON.
 * @param max the maximum length, in characters of JSON
 */
export function bounded(value: unknown, max = MAX_ANSWER / 2): unknown {
  if (lengthOf(value) <= max) return value;
  for (const limits of LIMITS) {
    const cut = within(value, limits);
    if (lengthOf(cut) <= max) return cut;
  }
  return shorten(JSON.stringify(value), Math.max(0, max - 100));
}

/**
 * Takes items from the beginning of a list until the next would not fit.
 * @param max the maximum length, in characters of JSON
 * @returns at least one item, unless the list is empty, so that paging through a list always makes progress
 */
export function fitting<Item>(items: readonly Item[], max = MAX_ANSWER - 500): Item[] {
  let left = max;
  const fit = items.findIndex((item) => {
    left -= lengthOf(item) + 1;
    return left < 0;
  });
  return items.slice(0, fit < 0 ? items.length : Math.max(1, fit));
}

function lengthOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

type Limits = (typeof LIMITS)[number];

function within(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return shorten(value, limits.text);
  if (limits.depth === 0 && typeof value === 'object' && value !== null)
    return shorten(JSON.stringify(value), limits.text);
  const inner = { ...limits, depth: limits.depth - 1 };
  if (Array.isArray(value)) {
    const shown = value.slice(0, limits.list).map((item) => within(item, inner));
    const more = value.length - shown.length;
    return more > 0 ? [...shown, `… (${more} more)`] : shown;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const shown = entries.slice(0, limits.list).map(([key, item]) => [shorten(key, 100), within(item, inner)]);
  const more = entries.length - shown.length;
  return Object.fromEntries(more > 0 ? [...shown, ['…', `${more} more`]] : shown);
}
