import { isObject } from '../../../process/objects.ts';

/** The way in which the input of a graph is entered. */
interface InputShape {
  readonly input: 'chat' | 'json';
  /** The initial JSON. */
  readonly template: string;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * The way to enter an input: as a chat if it has messages, else as JSON. The template has every property of
 * the schema.
 */
export function inputShapeOf(schema: Schema | null | undefined): InputShape {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const template = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, exampleOf(name, property)]),
  );
  return {
    input: 'messages' in properties ? 'chat' : 'json',
    template: JSON.stringify(template, undefined, 2),
  };
}

function exampleOf(name: string, property: unknown): unknown {
  if (name === 'messages') return [{ type: 'human', content: '' }];
  if (!isObject(property)) return null;
  if ('default' in property) return property.default;
  if (Array.isArray(property.enum)) return property.enum[0];
  switch (property.type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return null;
  }
}
