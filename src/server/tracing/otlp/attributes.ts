/** The attributes of a span by name, as plain values. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Returns the first of the attributes that is a non-empty string. */
export function textIn(attributes: Attributes, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Returns the first of the attributes that is a number, or a number as text. */
export function numberIn(attributes: Attributes, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = attributes[name];
    const isText = typeof value === 'string' && value.trim() !== '';
    const number = isText || typeof value === 'number' ? Number(value) : Number.NaN;
    if (Number.isFinite(number)) return number;
  }
  return undefined;
}

/** The value of an attribute, parsed if it is JSON text. */
export function valueIn(attributes: Attributes, name: string): unknown {
  return parsed(attributes[name]);
}

/** A value, parsed if it is JSON text. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Parses a text if it is a JSON list or object; any other text is plain text. */
export function parsedStructure(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return parsed(value);
}

/** The attributes under a prefix: `a.b.c` under `a.` becomes `b.c`. */
export function under(attributes: Attributes, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}
