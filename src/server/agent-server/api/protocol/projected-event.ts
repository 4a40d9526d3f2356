/** An event of the v2 protocol before it has its number. */
export interface ProjectedEvent {
  readonly method: string;
  readonly namespace: readonly string[];
  readonly data: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The text in a field; undefined when the field has another value. */
export function stringAt(object: Fields, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}
