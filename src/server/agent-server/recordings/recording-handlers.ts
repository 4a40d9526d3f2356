import type { recordings as recordingEndpoints } from '../../../contract/agent-server/exchanges.ts';
import { invalid, notFound } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { CommitQueue } from '../commit-queue.ts';
import type { Threads } from '../threads/threads.ts';
import type { ExchangeStore } from './exchange-store.ts';
import type { Replays } from './replays.ts';

/** What runs asked of models and tools, in and out. These endpoints are our own. */
export function recordingHandlers({
  queue,
  exchanges,
  replays,
  threads,
}: {
  queue: CommitQueue;
  exchanges: ExchangeStore;
  replays: Replays;
  threads: Threads;
}): Handlers<typeof recordingEndpoints> {
  return {
    readRecording: async ({ params: { thread_id, run_id }, query }) => {
      await threads.require(thread_id);
      const after = query.cursor === undefined ? -1 : readCursor(query.cursor);
      const page = await exchanges.readPage(thread_id, run_id, after);
      const last = page.exchanges.at(-1);
      return {
        exchanges: page.exchanges,
        next: page.isLast || last === undefined ? null : String(last.ordinal),
      };
    },
    addRecording: async ({ params: { thread_id, run_id }, body }) => {
      await threads.require(thread_id);
      const other = body.exchanges.findIndex((exchange) => exchange.run_id !== run_id);
      if (other >= 0) throw invalid(['body', 'exchanges', other, 'run_id'], 'Must be the run in the path.');
      await queue.write(thread_id, (unit) => {
        for (const exchange of body.exchanges) exchanges.put(unit, thread_id, exchange);
      });
    },
    readReplay: async ({ params: { thread_id, run_id } }) => {
      await threads.require(thread_id);
      const report = await replays.report(thread_id, run_id);
      if (report === undefined) throw notFound('Replay', run_id);
      return report;
    },
  };
}

function readCursor(cursor: string): number {
  const ordinal = Number(cursor);
  if (!Number.isSafeInteger(ordinal))
    throw invalid(['query', 'cursor'], 'Must be the next of an earlier page.');
  return ordinal;
}
