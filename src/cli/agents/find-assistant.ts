import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { RequestError } from '../../client/request-error.ts';
import { Failure } from '../terminal/failure.ts';

/** How many graphs an error lists. */
const MAX_NAMED_GRAPHS = 10;

/**
 * Resolves `ref`, which is a graph, or the ID or the name of an assistant.
 * @returns a graph, or the ID of an assistant; `ref` itself if the server cannot list assistants
 * @throws Failure when nothing has this name, or several assistants have it
 */
export async function findAssistant(client: Client, ref: string, signal: AbortSignal): Promise<string> {
  if (z.guid().safeParse(ref).success) return ref;
  const { assistants } = client;
  const search = (body: { graph_id?: string; name?: string; limit: number }) =>
    assistants.search({ body }, { signal });
  try {
    if ((await search({ graph_id: ref, limit: 1 })).length > 0) return ref;
    const named = (await search({ name: ref, limit: 100 })).filter(({ name }) => name === ref);
    const [first, ...others] = named.flatMap(({ assistant_id }) => assistant_id ?? []);
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined) {
      throw new Failure(
        `Several assistants are called '${ref}'. Use an ID: ${[first, ...others].join(' or ')}.`,
      );
    }
    const graphs = [...new Set((await search({ limit: 100 })).flatMap(({ graph_id }) => graph_id ?? []))];
    const there = graphs.length === 0 ? 'none' : graphs.slice(0, MAX_NAMED_GRAPHS).join(', ');
    throw new Failure(`No graph or assistant is called '${ref}'. Available: ${there}.`);
  } catch (error) {
    // Servers that do not list assistants resolve the name themselves.
    if (error instanceof RequestError && (error.status === 403 || error.status === 404)) return ref;
    throw error;
  }
}
