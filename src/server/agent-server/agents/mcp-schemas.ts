import { z } from 'zod';
import { JsonObject } from '../../../contract/fields.ts';

/** What a graph takes, as a tool's arguments, which are always an object. */
export function inputSchema(schema: JsonObject | null | undefined): JsonObject {
  return { ...schema, type: 'object' };
}

/** Without `$schema` and `$id`: clients compile it with the draft they know. */
const Output = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  type: z.literal('object'),
  properties: z.record(z.string(), JsonObject),
  $defs: JsonObject.optional(),
  definitions: JsonObject.optional(),
});

/**
 * What a tool promises of its `structuredContent`, which clients hold it to (MCP 2025-06-18, "Output Schema"). LangGraph
 * checks no output against its schema: a run that was interrupted leaves keys out, and state may hold more than is named.
 * So keys are promised to be of their type where they are there.
 * @returns undefined when nothing can be promised.
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

/** One that leads nowhere would cost a client the whole list of tools. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = JsonObject.safeParse(value).data ?? {};
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(references)];
}

/** The schema with objects that may hold more than is named. */
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
