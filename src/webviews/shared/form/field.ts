import { type Dictionary, isDictionary } from '../../../terms/fields.ts';

/** The data that every kind of field has. */
interface Common {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The value that an absent field has: the schema's default, or its `const`. */
  readonly initial: unknown;
  readonly nullable: boolean;
  /** The nodes of the graph that use the value of the field. */
  readonly nodes: readonly string[];
}

interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly field: Field;
}

/** A field that the user fills in, made from a JSON Schema. */
export type Field =
  | (Common & {
      readonly kind: 'text';
      /** One line, several lines, or one line that grows with its text. */
      readonly length: 'line' | 'lines' | 'growing';
      readonly format: string | undefined;
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly pattern: string | undefined;
    })
  | (Common & {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly min: number | undefined;
      readonly max: number | undefined;
      /** Exclusive limits of the number. */
      readonly above: number | undefined;
      readonly below: number | undefined;
    })
  | (Common & { readonly kind: 'boolean' })
  | (Common & { readonly kind: 'choice'; readonly choices: readonly Choice[] })
  | (Common & {
      readonly kind: 'list';
      readonly item: Field;
      readonly min: number | undefined;
      readonly max: number | undefined;
    })
  | (Common & { readonly kind: 'object'; readonly properties: readonly Property[] })
  /** Any other value, which the user writes as JSON. */
  | (Common & { readonly kind: 'json' });

export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

export interface Choice {
  readonly label: string;
  readonly value: unknown;
}

/** The field of a whole form. */
export type Form = FieldOf<'object'>;

/** A JSON Schema. */
type Schema = Dictionary;

/** Fields below this depth are JSON, because schemas may be recursive. */
const MAX_DEPTH = 6;
/**
 * The maximum number of references and options that are followed, because they may refer to each other in a
 * circle.
 */
const MAX_REFERENCES = 20;
/** Names of fields that are usually longer than a line. */
const LONG_TEXTS =
  /^(text|body|content|description|prompt|instructions|notes?|question|query|topic|message)$/i;

/** A text that may have at most this many characters gets a single line. */
const MAX_LINE = 80;

/** The values of `format` by which form generators ask for several lines. */
const MULTILINE_FORMATS: readonly string[] = ['multiline', 'textarea'];

/** The form for a JSON Schema; `undefined` if all of its fields would be JSON. */
export function formOf(schema: unknown): Form | undefined {
  if (!isDictionary(schema)) return undefined;
  const field = fieldOf(schema, schema, 0, '');
  return field.kind === 'object' && field.properties.some(({ field: { kind } }) => kind !== 'json')
    ? field
    : undefined;
}

function fieldOf(given: unknown, root: Schema, depth: number, name: string): Field {
  const schema = resolve(given, root);
  const common = {
    title: textOf(schema.title),
    description: textOf(schema.description),
    initial: 'default' in schema ? schema.default : schema.const,
    nullable: allowsNull(given, root),
    nodes: Array.isArray(schema.langgraph_nodes) ? schema.langgraph_nodes.filter(isText) : [],
  };
  const json: Field = { kind: 'json', ...common };
  const choices = choicesOf(schema, root);
  if (choices !== undefined) return { kind: 'choice', choices, ...common };
  if (depth > MAX_DEPTH || 'anyOf' in schema || 'oneOf' in schema || 'if' in schema) return json;
  const min = numberOf(schema.minimum ?? schema.minLength ?? schema.minItems);
  const max = numberOf(schema.maximum ?? schema.maxLength ?? schema.maxItems);
  switch (typeOf(schema)) {
    case 'string': {
      const format = textOf(schema.format);
      const length = lengthOf(schema, name, format, max);
      return { kind: 'text', length, format, min, max, pattern: textOf(schema.pattern), ...common };
    }
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        integer: typeOf(schema) === 'integer',
        min,
        max,
        ...exclusiveLimitsOf(schema),
        ...common,
      };
    case 'boolean':
      return { kind: 'boolean', ...common };
    case 'array': {
      // Lists whose items would be JSON, such as messages, are JSON as a whole.
      const item = isDictionary(schema.items) ? fieldOf(schema.items, root, depth + 1, '') : undefined;
      if (item === undefined || item.kind === 'json') return json;
      return { kind: 'list', item, min, max, ...common };
    }
    case 'object': {
      const properties = propertiesOf(schema, root, depth);
      return properties.length === 0 ? json : { kind: 'object', properties, ...common };
    }
    default:
      return json;
  }
}

function propertiesOf(schema: Schema, root: Schema, depth: number): Property[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(isDictionary(schema.properties) ? schema.properties : {}).map(([name, property]) => {
    const field = fieldOf(property, root, depth + 1, name);
    // Output schemas also list properties as required that may be absent because they have a default.
    return { name, required: required.has(name) && field.initial === undefined, field };
  });
}

function lengthOf(schema: Schema, name: string, format: string | undefined, max = Infinity) {
  if (format !== undefined) return MULTILINE_FORMATS.includes(format) ? 'lines' : 'line';
  if (schema.langgraph_type === 'prompt') return 'lines';
  if (max <= MAX_LINE) return 'line';
  return LONG_TEXTS.test(name) ? 'lines' : 'growing';
}

function exclusiveLimitsOf({ exclusiveMinimum, exclusiveMaximum }: Schema) {
  return { above: numberOf(exclusiveMinimum), below: numberOf(exclusiveMaximum) };
}

function allowsNull(given: unknown, root: Schema, followed = 0): boolean {
  if (!isDictionary(given) || followed > MAX_REFERENCES) return false;
  if (typeof given.$ref === 'string') return allowsNull(resolveRef(given.$ref, root), root, followed + 1);
  const options = [given.anyOf, given.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return (
    given.type === 'null' ||
    (Array.isArray(given.type) && given.type.includes('null')) ||
    (Array.isArray(given.enum) && given.enum.includes(null)) ||
    options.some((option) => allowsNull(option, root, followed + 1))
  );
}

/** Follows references, joins `allOf`, and removes "or null", because an empty field means the same. */
function resolve(given: unknown, root: Schema, followed = 0): Schema {
  if (!isDictionary(given) || followed > MAX_REFERENCES) return {};
  const { $ref, allOf, ...rest } = given;
  if (typeof $ref === 'string') return { ...resolve(resolveRef($ref, root), root, followed + 1), ...rest };
  if (Array.isArray(allOf)) {
    return allOf.reduce<Schema>((all, part) => merge(all, resolve(part, root, followed + 1)), rest);
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const options = rest[key];
    if (!Array.isArray(options)) continue;
    const { [key]: _, ...outer } = rest;
    const others = options.filter((option) => !isDictionary(option) || option.type !== 'null');
    if (others.length === 1) return { ...resolve(others[0], root, followed + 1), ...outer };
    return { ...outer, [key]: others };
  }
  return rest;
}

/** Joins two schemas. Their properties are united; of any other keyword in both, the first schema's value counts. */
function merge(one: Schema, other: Schema): Schema {
  const properties = {
    ...(isDictionary(one.properties) && one.properties),
    ...(isDictionary(other.properties) && other.properties),
  };
  const required = [one.required, other.required].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...other, ...one, ...(Object.keys(properties).length > 0 && { properties, required }) };
}

/** The schema at a JSON pointer into the same document, such as `#/$defs/Name`. */
function resolveRef(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isDictionary(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function choicesOf(schema: Schema, root: Schema): Choice[] | undefined {
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.filter((value) => value !== null);
    return values.every(isScalar) ? values.map((value) => ({ label: String(value), value })) : undefined;
  }
  if ('const' in schema && isScalar(schema.const))
    return [{ label: String(schema.const), value: schema.const }];
  const options = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const choices = options.map((option): Choice | undefined => {
    const { const: value, title, ...rest } = resolve(option, root);
    return isScalar(value) && !('properties' in rest)
      ? { label: textOf(title) ?? String(value), value }
      : undefined;
  });
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

function typeOf({ type, properties }: Schema): string | undefined {
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 && typeof others[0] === 'string' ? others[0] : undefined;
  }
  return isDictionary(properties) ? 'object' : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
