import { type Dictionary, isDictionary } from '../../../terms/fields.ts';

/** Longer text gets a multi-line field. */
const MAX_LINE = 60;

/**
 * Infers the JSON Schema of a value that comes without one, such as the arguments of a tool call. All properties of an
 * object are required, except null ones, which may become anything. Lists of different items, or of objects, may have
 * any items.
 */
export function schemaOf(value: unknown): Dictionary {
  if (typeof value === 'string')
    return value.includes('\n') || value.length > MAX_LINE
      ? { type: 'string', format: 'multiline' }
      : { type: 'string' };
  if (typeof value === 'number') return { type: 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (Array.isArray(value)) {
    const [first, ...others] = value.map(schemaOf);
    const isUniform = others.every(({ type }) => type === first?.type) && !value.some(isDictionary);
    return first !== undefined && isUniform ? { type: 'array', items: first } : {};
  }
  if (!isDictionary(value)) return {};
  const entries = Object.entries(value);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, inner]) => [name, schemaOf(inner)])),
    required: entries.filter(([, inner]) => inner !== null).map(([name]) => name),
  };
}
