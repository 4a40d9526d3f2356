import { type LoadOptions, load } from 'js-yaml';

/**
 * A document may expand to `MAX_CHARS` characters, or to `MAX_TIMES` times its own length if that is more.
 * Without a limit, aliases could expand it to much more.
 */
const MAX_CHARS = 10_000_000;
const MAX_TIMES = 10;

/**
 * Reads YAML whose JSON has a limited size: a few lines of aliases of aliases could expand to more than any memory
 * holds.
 * @throws YAMLException; RangeError for aliases that expand to too much, or that contain themselves.
 */
export function loadYaml(text: string, options?: LoadOptions): unknown {
  const value = load(text, options);
  measure(value, { limit: Math.max(MAX_CHARS, MAX_TIMES * text.length), sizes: new Map() });
  return value;
}

interface Measured {
  readonly limit: number;
  /** The size of each value; undefined while the value is being measured. */
  readonly sizes: Map<object, number | undefined>;
}

/** The approximate number of characters of a value as JSON. @throws RangeError when it is over the limit. */
function measure(value: unknown, measured: Measured): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  const { limit, sizes } = measured;
  if (sizes.has(value)) {
    const known = sizes.get(value);
    if (known === undefined) throw new RangeError('an alias refers to a value that contains it');
    return known;
  }
  sizes.set(value, undefined);
  let size = 1;
  for (const [key, member] of Object.entries(value)) size += key.length + measure(member, measured);
  if (size > limit) throw new RangeError('its aliases expand to too much data');
  sizes.set(value, size);
  return size;
}
