/**
 * A query string: lists repeat their name, booleans are `true` and `false`, what is `undefined` or `null` is left out.
 * @returns empty, or beginning with `?`.
 */
export function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue;
      search.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
