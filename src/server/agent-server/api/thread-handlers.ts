import type { ThreadHistory, threads as threadEndpoints } from '../../../contract/agent-server/threads.ts';
import { pageHeaders } from '../../http/page-headers.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { ThreadSearches } from '../data/thread-search.ts';
import { toThread } from '../data/thread-wire.ts';
import type { ThreadStates } from '../states/thread-states.ts';
import type { Threads } from '../threads/threads.ts';

/** The default number of states in a history. */
const HISTORY_LIMIT = 10;

/**
 * Handlers for threads, their states and histories (docs/interface/agent-server.md#threads). They throw 404 for an unknown
 * thread or checkpoint, 409 for an existing id and for a new state during a run, 400 if the graph refuses, and 503 while
 * the graphs do not answer.
 */
export function threadHandlers(
  threads: Threads,
  states: ThreadStates,
  searches: ThreadSearches,
): Handlers<typeof threadEndpoints> {
  return {
    create: async ({ body }) => toThread(await threads.create(body), { ttl: true }),
    search: async ({ body }) => {
      const { page, count, total } = await searches.search(body);
      return new Reply(page, { headers: pageHeaders(body, count, total) });
    },
    count: ({ body }) => searches.count(body),
    prune: async ({ body }) => ({ pruned_count: await threads.prune(body.thread_ids, body.strategy) }),
    get: async ({ params, query }) =>
      toThread(await threads.require(params.thread_id), { ttl: query.include?.includes('ttl') ?? false }),
    update: async ({ params, body, headers }) => {
      const row = await threads.update(params.thread_id, body);
      return headers.prefer === 'return=minimal'
        ? new Reply(undefined, { status: 204 })
        : toThread(row, { ttl: true });
    },
    delete: async ({ params }) => {
      await threads.delete(params.thread_id);
      return undefined;
    },
    copy: async ({ params, caller }) => toThread(await threads.copy(params.thread_id, caller.ownerMetadata)),
    getState: async ({ params, query }) =>
      states.get(await threads.require(params.thread_id), {
        subgraphs: query.subgraphs,
        select: query.select,
      }),
    getStateAt: async ({ params, query }) =>
      states.get(await threads.require(params.thread_id), {
        checkpoint: { checkpoint_id: params.checkpoint_id },
        subgraphs: query.subgraphs,
        select: query.select,
      }),
    getStateAtCheckpoint: async ({ params, body }) =>
      states.get(await threads.require(params.thread_id), {
        checkpoint: body.checkpoint,
        subgraphs: body.subgraphs ?? false,
        select: body.select ?? undefined,
      }),
    updateState: async ({ params, body }) => {
      const { values, as_node } = body;
      const updated = await threads.updateState(
        params.thread_id,
        [{ values, ...(as_node == null ? {} : { as_node }) }],
        body.checkpoint ?? (body.checkpoint_id == null ? undefined : { checkpoint_id: body.checkpoint_id }),
      );
      return { checkpoint: updated, configurable: updated };
    },
    patchStateMetadata: async ({ params, body }) =>
      toThread(await threads.update(params.thread_id, { metadata: body.metadata })),
    history: async ({ params, body }) =>
      states.readHistory(await threads.require(params.thread_id), {
        limit: body.limit ?? HISTORY_LIMIT,
        before: beforeId(body.before),
        ...(body.metadata == null ? {} : { metadata: body.metadata }),
        checkpointNs: body.checkpoint?.checkpoint_ns ?? undefined,
        checkpointId: body.checkpoint?.checkpoint_id ?? undefined,
      }),
    historyByQuery: async ({ params, query }) =>
      states.readHistory(await threads.require(params.thread_id), {
        limit: query.limit ?? HISTORY_LIMIT,
        before: query.before,
      }),
  };
}

/**
 * The checkpoint's id in `before`, which may be an id, a checkpoint, or a config; undefined, that is, no limit, if it
 * names none.
 */
function beforeId(before: ThreadHistory['before']): string | undefined {
  if (before == null || typeof before === 'string') return before ?? undefined;
  return (before.configurable ?? before).checkpoint_id ?? undefined;
}
