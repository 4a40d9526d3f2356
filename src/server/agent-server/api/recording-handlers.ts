import type {
  RecordingLine,
  recordings as recordingEndpoints,
} from '../../../contract/agent-server/exchanges.ts';
import { invalid, notFound } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { ExchangeStore, LinePlace } from '../data/exchange-store.ts';
import type { Replays } from '../recordings/replays.ts';
import type { Threads } from '../threads/threads.ts';

/** Handlers that read and import the exchanges of runs with models and tools. Only Agent Harbor has them. */
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
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const { lines, isLast } = await exchanges.readPage(thread_id, run_id, after);
      const last = lines.at(-1);
      return { exchanges: lines, next: isLast || last === undefined ? null : cursorAfter(last) };
    },
    addRecording: async ({ params: { thread_id, run_id }, body }) => {
      await threads.require(thread_id);
      const other = body.exchanges.findIndex((exchange) => exchange.run_id !== run_id);
      if (other >= 0) throw invalid(['body', 'exchanges', other, 'run_id'], 'Must be the run in the path.');
      await queue.write(thread_id, (unit) => {
        for (const line of body.exchanges) exchanges.put(unit, thread_id, line);
      });
    },
    readReplay: async ({ params: { thread_id, run_id } }) => {
      await threads.require(thread_id);
      const report = await replays.readReport(thread_id, run_id);
      if (report === undefined) throw notFound('Replay', run_id);
      return report;
    },
  };
}

function cursorAfter(line: RecordingLine): string {
  return `${line.ordinal}.${line.kind === 'exchange' ? -1 : line.part}`;
}

function readCursor(cursor: string): LinePlace {
  const [ordinal = Number.NaN, part = Number.NaN] = cursor.split('.').map(Number);
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(part))
    throw invalid(['query', 'cursor'], 'Must be `next` of an earlier page.');
  return { ordinal, part };
}
