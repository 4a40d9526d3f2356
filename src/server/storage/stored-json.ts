/** A `T` as JSON text, as it is stored in databases. */
export type StoredJson<T = unknown> = string & { readonly __json?: T };

/** Parses an object for display. Text that is no longer valid JSON is returned as `{unreadable}`. */
export function readStoredObject<T extends object>(text: StoredJson<T>): T | { readonly unreadable: string } {
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

/** Stored JSON for a response. Text that is no longer valid JSON becomes `{unreadable}`, so that the response is valid. */
export function readableJson(text: StoredJson): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify({ unreadable: text });
  }
}

/** A value as JSON for a nullable column: null for null and undefined. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** Parses the value of a nullable column, like `parseStored`; null for null. */
export function parseStoredOrNull<T>(text: string | null): T | null {
  return text === null ? null : parseStored<T>(text);
}

/** Parses a stored value, which was validated when it was stored. @throws SyntaxError if it is no longer valid JSON. */
export function parseStored<T>(text: StoredJson<T>): T {
  return JSON.parse(text);
}
