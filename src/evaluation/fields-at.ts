/** The fields of the object under a key of a value; empty if there is none. */
export function fieldsAt(of: unknown, key: string): Record<string, unknown> {
  const value = typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined;
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
