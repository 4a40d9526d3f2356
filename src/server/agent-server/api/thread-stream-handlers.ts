import type { threadStream as threadStreamEndpoints } from '../../../contract/agent-server/threads.ts';
import { frame } from '../../http/event-stream.ts';
import type { Handlers } from '../../http/router.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Threads } from '../threads/threads.ts';
import {
  type FollowedPart,
  findCurrentPlace,
  followThread,
  readFor,
  THREAD_START,
  type ThreadPlace,
  type ThreadSource,
} from './follow-thread.ts';

/**
 * Handlers that stream all runs of a thread, until the client disconnects
 * (docs/interface/agent-server.md#streams).
 */
export function threadStreamHandlers(
  source: ThreadSource,
  threads: Pick<Threads, 'find' | 'require'>,
): Handlers<typeof threadStreamEndpoints> {
  return {
    joinStream: async ({ params, query, headers }, open) => {
      const { thread_id } = params;
      await threads.require(thread_id);
      const modes = query.stream_mode ?? query.stream_modes ?? ['run_modes'];
      const lastEventId = headers['last-event-id'];
      const from =
        typeof lastEventId === 'string' ? placeOf(lastEventId) : await findCurrentPlace(source, thread_id);
      const reader = open();
      const gone = new AbortController();
      void reader.closed.then(() => gone.abort());
      for await (const part of followThread(source, thread_id, from, gone.signal)) {
        const frames = framesOf(part, modes);
        if (part.kind === 'end' && modes.includes('state_update')) {
          // The thread may have been deleted when its run ended.
          const thread = await readFor(source, gone.signal, () => threads.find(thread_id));
          const data = `{"run_id":${JSON.stringify(part.run.run_id)},"values":${thread?.values ?? 'null'}}`;
          frames.push(frame('state_update', data, `${part.run.thread_order}-end`));
        }
        if (frames.length > 0 && !reader.write(frames.join(''))) await reader.waitForDrain();
      }
      reader.end();
    },
  };
}

function framesOf(part: FollowedPart, modes: readonly string[]): string[] {
  if (part.kind === 'idle') return [];
  const { run } = part;
  const order = run.thread_order;
  if (part.kind === 'end') {
    if (!modes.includes('run_modes') && !modes.includes('lifecycle')) return [];
    const status = part.ended?.status ?? 'interrupted';
    return [
      frame(
        'metadata',
        JSON.stringify({ status: 'run_done', run_id: run.run_id, run_status: status }),
        `${order}-end`,
      ),
    ];
  }
  if (modes.includes('run_modes')) {
    return part.events.map(({ event, data, seq }) => frame(event, data, `${order}-${seq}`));
  }
  if (!modes.includes('lifecycle')) return [];
  return part.events
    .filter(({ event }) => event === 'metadata')
    .map(({ data, seq }) => {
      const started = { ...parseStored<object>(data), status: 'run_started' };
      return frame('metadata', JSON.stringify(started), `${order}-${seq}`);
    });
}

/**
 * The position for a Last-Event-ID. `-` means the start, and so does an unknown ID, so that no event is
 * missed.
 */
function placeOf(lastEventId: string): ThreadPlace {
  const [, order, seq] = /^(\d{1,15})-(\d{1,15}|end)$/.exec(lastEventId) ?? [];
  if (order === undefined || seq === undefined) return THREAD_START;
  return { order: Number(order), after: seq === 'end' ? Number.POSITIVE_INFINITY : Number(seq) };
}
