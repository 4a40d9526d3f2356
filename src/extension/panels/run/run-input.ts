/** How the input of a graph is entered, by its input schema. */
export interface InputShape {
  readonly input: 'chat' | 'json';
  /** JSON to start from. */
  readonly template: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** `chat` when the input has messages; a template with every property otherwise. */
export function inputShapeOf(schema: Schema | null | undefined): InputShape {
  const properties = isSchema(schema?.properties) ? schema.properties : {};
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
  if (!isSchema(property)) return null;
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

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
