import type { Client } from '../../client/client.ts';
import { isUuid } from '../../client/is-uuid.ts';
import { isObject } from '../../process/objects.ts';
import { threadTitle } from '../wording/titles.ts';

/** The number of traces per request. */
const PAGE_SIZE = 100;

interface Searched {
  /** Reaches the agent server, and the platform that has its traces. */
  readonly client: Client;
  /** The name of the deployment, and of its project. */
  readonly name: string;
}

/**
 * Finds threads by words: in the names and the first and last messages of the newest threads, and in all
 * inputs and outputs of the deployment's traces. If traces cannot be read, only names and messages are
 * searched. A UUID counts as the ID of a thread.
 * @param limit the maximum number of IDs, and the number of newest threads whose names and messages are
 *   searched
 * @returns IDs, those with a matching name or message first
 */
export async function findThreads(
  searched: Searched,
  text: string,
  limit: number,
): Promise<readonly string[]> {
  const words = text.trim();
  if (isUuid(words)) return [words.toLowerCase()];
  const [named, traced] = await Promise.all([
    findByMessages(searched.client, words, limit),
    // Threads are found by their messages even where traces cannot be searched.
    findByTraces(searched, words, limit).catch(() => []),
  ]);
  return [...new Set([...named, ...traced])].slice(0, limit);
}

async function findByMessages({ threads }: Client, words: string, limit: number): Promise<string[]> {
  const newest = await threads.search({
    body: {
      limit,
      sort_by: 'updated_at',
      sort_order: 'desc',
      select: ['thread_id', 'metadata'],
      extract: { title: 'values.messages[0].content', last: 'values.messages[-1].content' },
    },
  });
  const wanted = words.toLowerCase();
  return newest.flatMap(({ thread_id, metadata, extracted }) => {
    const { title, last } = isObject(extracted) ? extracted : { title: undefined, last: undefined };
    const texts = [threadTitle({ metadata, extracted }), textIn(title), textIn(last)];
    const isFound = texts.some((one) => one?.toLowerCase().includes(wanted));
    return isFound && thread_id !== undefined ? [thread_id] : [];
  });
}

/** The text of a message's content: a string, or blocks. */
function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content
    .map((block: unknown) => (isObject(block) && typeof block.text === 'string' ? block.text : ''))
    .join(' ');
}

async function findByTraces({ client, name }: Searched, words: string, limit: number): Promise<string[]> {
  const { sessions, runs } = client.tracing;
  const [project] = await sessions.list({ query: { name, limit: 1 } });
  if (project === undefined) return [];
  const found = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const page = await runs.query({
      body: {
        session: [project.id],
        is_root: true,
        tree_filter: `search(${JSON.stringify(words)})`,
        order: 'desc',
        limit: PAGE_SIZE,
        select: ['id', 'thread_id'],
        cursor: cursor ?? null,
      },
    });
    for (const { thread_id } of page.runs) if (typeof thread_id === 'string') found.add(thread_id);
    cursor = page.cursors.next;
  } while (cursor && found.size < limit);
  return [...found];
}
