import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';

/** The input schema of a graph as that of a tool's arguments, which are always an object. */
export function inputSchema(schema: JsonObject | null | undefined): JsonObject {
  return { ...schema, type: 'object' };
}

/**
 * The parts of an output schema that clients get: no `required`, and no `$schema` or `$id`, so that they
 * compile it with their own draft.
 */
const Output = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  type: z.literal('object'),
  properties: z.record(z.string(), JsonObject),
  $defs: JsonObject.optional(),
  definitions: JsonObject.optional(),
});

/**
 * The schema of a tool's `structuredContent`, which clients validate (MCP 2025-06-18, "Output Schema").
 * LangGraph does not validate outputs: an interrupted run leaves keys out, and the state may have extra keys.
 * So all keys of the state are optional, and extra keys are allowed.
 * @returns undefined if the schema is not that of an object, or has a reference that clients cannot resolve.
 */
export function outputSchema(schema: JsonObject | null | undefined): JsonObject | undefined {
  const { data } = Output.safeParse(schema);
  if (data === undefined) return undefined;
  const known = new Set([
    '#',
    ...Object.keys(data.$defs ?? {}).map((name) => `#/$defs/${name}`),
    ...Object.keys(data.definitions ?? {}).map((name) => `#/definitions/${name}`),
  ]);
  return references(data).every((reference) => known.has(reference)) ? opened(data) : undefined;
}

/** The references in a schema. If one cannot be resolved, clients reject the whole list of tools. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = JsonObject.safeParse(value).data ?? {};
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(references)];
}

/** A copy of a schema that allows extra keys in objects. */
function opened(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, openedValue(value)]));
}

function openedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openedValue);
  return typeof value === 'object' && value !== null ? opened(JsonObject.parse(value)) : value;
}
