import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { ignoreRefusal } from './ignore-refusal.ts';
import type { RunEnd } from './run-end.ts';
import { suggestionFor } from './suggestion.ts';

const Properties = z.object({ properties: z.record(z.string(), z.unknown()) });

/**
 * Finds keys of the input that the graph does not have, because LangGraph ignores them silently. Schemas are only
 * requested when a key is missing from the resulting state.
 * @returns a sentence for each unknown key
 */
export async function findUnknownInputKeys(
  client: Client,
  { assistant, input, end }: { readonly assistant: string; readonly input: unknown; readonly end: RunEnd },
  signal: AbortSignal,
): Promise<string[]> {
  const given = keysOf(input);
  const reached = new Set(keysOf(end.values));
  const suspected = given.filter((key) => !reached.has(key));
  if (suspected.length === 0) return [];
  const params = { assistant_id: assistant };
  const schemas = await ignoreRefusal(client.assistants.schemas({ params }, { signal }));
  const schema = Properties.safeParse(schemas?.input_schema);
  const known = schema.success ? Object.keys(schema.data.properties) : [];
  // The schema of a graph that accepts any object names no properties.
  if (known.length === 0) return [];
  return suspected
    .filter((key) => !known.includes(key))
    .map((key) => `The input of this graph has no '${key}', so it was ignored. ${suggestionFor(key, known)}`);
}

function keysOf(value: unknown): string[] {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];
}
