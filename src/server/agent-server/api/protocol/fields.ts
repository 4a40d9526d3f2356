/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The text in a field; undefined when the field has another value. */
export function stringAt(object: Fields, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}
