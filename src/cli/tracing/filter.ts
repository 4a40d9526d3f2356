/** The options that filter traces. */
export interface FilterOptions {
  readonly filter?: string;
  readonly name?: string;
  readonly search?: string;
  readonly tag?: readonly string[];
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
}

/** The options as one filter expression; undefined when there are none. */
export function filterExpression(options: FilterOptions): string | undefined {
  const { filter, name, search, tag = [], metadata = {} } = options;
  const parts = [
    ...(filter === undefined ? [] : [filter]),
    ...(name === undefined ? [] : [`eq(name, ${JSON.stringify(name)})`]),
    ...(search === undefined ? [] : [`search(${JSON.stringify(search)})`]),
    ...tag.map((one) => `has(tags, ${JSON.stringify(one)})`),
    ...Object.entries(metadata).map(
      ([key, value]) =>
        `and(eq(metadata_key, ${JSON.stringify(key)}), eq(metadata_value, ${JSON.stringify(value)}))`,
    ),
  ];
  return parts.length > 1 ? `and(${parts.join(', ')})` : parts[0];
}
