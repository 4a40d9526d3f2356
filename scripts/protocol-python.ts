import { z } from 'zod';

/** The part of JSON Schema that the protocol document uses. */
interface Schema {
  $ref?: string | undefined;
  description?: string | undefined;
  type?: string | string[] | undefined;
  const?: unknown;
  enum?: unknown[] | undefined;
  oneOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  items?: Schema | undefined;
  prefixItems?: Schema[] | undefined;
  additionalProperties?: boolean | Schema | undefined;
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    description: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    oneOf: z.array(Schema).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    items: Schema.optional(),
    prefixItems: z.array(Schema).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
  }),
);

const SIMPLE: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
  array: 'list[Any]',
};

/** The protocol's types as a Python module: a TypedDict per object, an alias for everything else. */
export function toPython(version: number, definitions: Record<string, unknown>): string {
  const schemas = Object.entries(definitions).map(([name, schema]) => [name, Schema.parse(schema)] as const);
  const classes = schemas.filter(([, schema]) => schema.properties !== undefined);
  const aliases = schemas.filter(([, schema]) => schema.properties === undefined);
  return [
    '"""Made from src/runtime/protocol/protocol.schema.json by `npm run generate`; change that document instead."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, NotRequired, TypedDict',
    '',
    `PROTOCOL_VERSION = ${version}`,
    '',
    ...aliases.filter(([, schema]) => !namesClasses(schema)).map(alias),
    ...classes.map(([name, schema]) => typedDict(name, schema)),
    '',
    ...aliases.filter(([, schema]) => namesClasses(schema)).map(alias),
    '',
  ].join('\n');
}

function namesClasses(schema: Schema): boolean {
  return JSON.stringify(schema).includes('$ref');
}

function alias([name, schema]: readonly [string, Schema]): string {
  return `${name} = ${typeOf(schema)}`;
}

function typedDict(name: string, schema: Schema): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([field, type]) => {
    const text = typeOf(type);
    return `    ${field}: ${required.has(field) ? text : `NotRequired[${text}]`}`;
  });
  const doc = schema.description === undefined ? [] : [`    """${schema.description}"""`, ''];
  const body = fields.length + doc.length === 0 ? ['    pass'] : [...doc, ...fields];
  return ['', '', `class ${name}(TypedDict):`, ...body].join('\n');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if (schema.oneOf !== undefined) return [...new Set(schema.oneOf.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.prefixItems !== undefined) return `tuple[${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array' && schema.items !== undefined) return `list[${typeOf(schema.items)}]`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    const values = typeOf(schema.additionalProperties);
    return `dict[str, ${values}]`;
  }
  return (schema.type === undefined ? undefined : SIMPLE[schema.type]) ?? 'Any';
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}
