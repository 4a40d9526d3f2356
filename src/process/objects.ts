/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a JSON object; undefined for null, and if the value is not an object or has no such member. */
export function memberAt(value: unknown, key: string): unknown {
  return isObject(value) ? (value[key] ?? undefined) : undefined;
}

/** The list in a field; empty when the field has another value. */
export function listAt(object: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** The object in a field; empty when the field has another value. */
export function objectAt(object: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const value = object[key];
  return isObject(value) ? value : {};
}
