import { z } from 'zod';
import type { Client } from '../../../client/client.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import type { Journal } from './journal.ts';

/**
 * The maximum number of states. Each state has all messages of its thread, so only the newest states are
 * read.
 */
const MAX_STATES = 30;

const MessageId = z.looseObject({ id: z.string(), type: z.string() });
const NodeResult = z.looseObject({ messages: z.unknown() });

interface MessageNodesOptions {
  readonly client: Client;
  readonly threadId: string;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/**
 * Sends a panel the nodes that produced the last messages of a thread, because a state has only the messages.
 * @throws RequestError, and the signal's reason when aborted
 */
export async function sendMessageNodes({
  client,
  threadId,
  journal,
  signal,
}: MessageNodesOptions): Promise<void> {
  const states = await client.threads.history(
    { params: { thread_id: threadId }, body: { limit: MAX_STATES } },
    { signal },
  );
  const nodes = nodesByMessage(states);
  if (Object.keys(nodes).length > 0) journal.add({ type: 'speakers', nodes });
}

/** The nodes that produced the answers in the states of a thread, by message ID. */
export function nodesByMessage(states: readonly ThreadState[]): Record<string, string> {
  const nodes: Record<string, string> = {};
  for (const { tasks } of states)
    for (const { name, result } of tasks) for (const id of answersIn(result)) nodes[id] ??= name;
  return nodes;
}

function answersIn(result: unknown): string[] {
  const { messages } = NodeResult.safeParse(result).data ?? {};
  return (Array.isArray(messages) ? messages : [messages]).flatMap((message: unknown) => {
    const said = MessageId.safeParse(message).data;
    return said !== undefined && /^ai/i.test(said.type) ? [said.id] : [];
  });
}
