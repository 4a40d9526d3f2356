import { isSchema } from './field.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Longer text gets a multi-line field. */
const MAX_LINE = 60;

/**
 * The JSON Schema that a value itself suggests, if it has none: the arguments of a tool call, an answer that is
 * only an example. Objects require all of their properties; null may become anything, and lists of different items
 * are JSON.
 */
export function schemaOf(value: unknown): Schema {
  if (typeof value === 'string')
    return value.includes('\n') || value.length > MAX_LINE
      ? { type: 'string', format: 'multiline' }
      : { type: 'string' };
  if (typeof value === 'number') return { type: 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (Array.isArray(value)) {
    const [first, ...others] = value.map(schemaOf);
    const isUniform = others.every(({ type }) => type === first?.type) && !value.some(isSchema);
    return first !== undefined && isUniform ? { type: 'array', items: first } : {};
  }
  if (!isSchema(value)) return {};
  const entries = Object.entries(value);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, inner]) => [name, schemaOf(inner)])),
    required: entries.filter(([, inner]) => inner !== null).map(([name]) => name),
  };
}
