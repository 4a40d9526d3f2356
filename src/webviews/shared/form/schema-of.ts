import { type Dictionary, isDictionary } from '../../../terms/fields.ts';

/** Longer text gets a multi-line field. */
const MAX_LINE = 60;

/**
 * Infers the JSON Schema of a value that comes without one, such as the arguments of a tool call. All properties of an
 * object are required, except null ones, which may become anything. An empty list, or one with objects, lists or items of
 * different types, becomes `{}`, which accepts any value. If one item of a list needs a multi-line field, all have one.
 */
export function schemaOf(value: unknown): Dictionary {
  if (typeof value === 'string')
    return value.includes('\n') || value.length > MAX_LINE
      ? { type: 'string', format: 'multiline' }
      : { type: 'string' };
  if (typeof value === 'number') return { type: 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (Array.isArray(value)) {
    const all = value.map(schemaOf);
    const items = all.find(({ format }) => format !== undefined) ?? all[0];
    const isUniform = value.every(isScalar) && all.every(({ type }) => type === items?.type);
    return items !== undefined && isUniform ? { type: 'array', items } : {};
  }
  if (!isDictionary(value)) return {};
  const entries = Object.entries(value);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, inner]) => [name, schemaOf(inner)])),
    required: entries.filter(([, inner]) => inner !== null).map(([name]) => name),
  };
}

function isScalar(value: unknown): boolean {
  return !isDictionary(value) && !Array.isArray(value);
}
