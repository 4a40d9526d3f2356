/**
 * Whether a document contains a pattern: an object must have all keys of the pattern, an array all elements, and other
 * values must be equal. This is like PostgreSQL's `@>`.
 */
export function containsJson(document: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(document) &&
      pattern.every((wanted) => document.some((element) => containsJson(element, wanted)))
    );
  }
  if (typeof pattern === 'object' && pattern !== null) {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
    return Object.entries(pattern).every(
      ([key, wanted]) => Object.hasOwn(document, key) && containsJson(Reflect.get(document, key), wanted),
    );
  }
  return document === pattern;
}
