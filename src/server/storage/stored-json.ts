/** A `T` as JSON text, as databases keep it: parsed where it is needed, never on the way. */
export type StoredJson<T = unknown> = string & { readonly __json?: T };

/** What a database keeps as JSON: it was checked on its way in. */
export function parseStored<T>(text: StoredJson<T>): T {
  return JSON.parse(text);
}
