/** A `T` as JSON text, as databases keep it: parsed only where it is needed. */
export type StoredJson<T = unknown> = string & { readonly __json?: T };

/** Reads an object that is only displayed; text that was damaged later is displayed unchanged. */
export function readStoredObject<T extends object>(text: StoredJson<T>): T | { readonly unreadable: string } {
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
}

/** JSON that is only passed on; text that was damaged later is wrapped in an object, so that the rest can be read. */
export function readableJson(text: StoredJson): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify({ unreadable: text });
  }
}

/** Parses a value that a database stores as JSON, which was validated when it was stored. */
export function parseStored<T>(text: StoredJson<T>): T {
  return JSON.parse(text);
}
