import { isObject } from '../process/objects.ts';

/**
 * The paths of masked texts in a value.
 * @param at the path of the value itself, such as `request.body`
 */
export function maskedPlaces(value: unknown, at: string): string[] {
  if (typeof value === 'string') return /\*{3}/.test(value) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((one, index) => maskedPlaces(one, `${at}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => maskedPlaces(one, `${at}.${name}`));
}
