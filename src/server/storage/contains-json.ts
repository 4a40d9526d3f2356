/**
 * Whether a document contains a pattern: objects may have more keys, arrays must contain every element of the
 * pattern's, anything else is equal. This is PostgreSQL's `@>`, for documents that are compared one by one.
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
