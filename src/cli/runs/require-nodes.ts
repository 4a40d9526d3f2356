import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { Failure } from '../terminal/failure.ts';
import { ignoreRefusal } from './ignore-refusal.ts';
import { suggestionFor } from './suggestion.ts';

const Diagram = z.object({ nodes: z.array(z.object({ id: z.union([z.string(), z.number()]) })) });

/**
 * Refuses breakpoints at nodes that the graph does not have, because LangGraph ignores those silently. If the graph cannot
 * be read, nothing is checked.
 * @throws Failure that names the node, and the existing ones
 */
export async function requireNodes(
  client: Client,
  assistant: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const params = { assistant_id: assistant };
  const diagram = Diagram.safeParse(await ignoreRefusal(client.assistants.graph({ params }, { signal })));
  if (!diagram.success) return;
  const known = diagram.data.nodes.map(({ id }) => String(id)).filter((id) => !/^__(start|end)__$/.test(id));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Failure(`The graph has no node '${unknown}'. ${suggestionFor(unknown, known)}`);
}
