import type { ProtocolEvent } from '../../../../contract/agent-server/protocol.ts';
import type { RunRow } from '../../data/run-store.ts';
import { followThread, placeOfLastRun, type ThreadPlace, type ThreadSource } from '../follow-thread.ts';
import type { ProjectedEvent } from './projected-event.ts';
import { projectionOf, type RunProjection } from './run-projection.ts';

/** Beyond every event: a reader that waits for any position has reached it. */
const END: ThreadPlace = { order: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
/** An event's number is the run's position in its thread times this, plus the event's position in the run. */
const EVENTS_PER_RUN = 2 ** 32;

export interface ProtocolBatch {
  /** The matching events; may be empty. */
  readonly events: readonly ProtocolEvent[];
  /** The position up to which all events have been read. */
  readonly place: ThreadPlace;
}

/**
 * Reads the events of a thread, with the numbers of the v2 protocol, in batches.
 * @param options.wants returns whether to include an event.
 * @param options.since the number after which events are read; if undefined or negative, they are read from
 * the thread's newest run on.
 */
export async function* readProtocolFeed(
  source: ThreadSource,
  threadId: string,
  options: {
    wants(event: ProjectedEvent, seq: number): boolean;
    since: number | undefined;
    signal: AbortSignal;
  },
): AsyncGenerator<ProtocolBatch> {
  const since = options.since ?? -1;
  const from = since < 0 ? await placeOfLastRun(source, threadId) : placeOf(since);
  let current: { runId: string; projection: RunProjection; count: number; at: number } | undefined;
  for await (const part of followThread(source, threadId, from, options.signal)) {
    if (part.kind === 'idle') {
      yield { events: [], place: END };
      continue;
    }
    const { run } = part;
    if (current?.runId !== run.run_id) {
      const at = Date.parse(run.started_at ?? run.created_at);
      current = { runId: run.run_id, projection: projectionOf(run), count: 0, at };
    }
    const following = current;
    const { projection } = following;
    const projected =
      part.kind === 'events'
        ? part.events.flatMap((streamed) => {
            following.at = streamed.at ?? following.at;
            const { at } = following;
            return projection.event(streamed).map((event) => ({ event, at }));
          })
        : projection.end(part.ended?.status).map((event) => ({ event, at: endOf(part.ended, following.at) }));
    const first = run.thread_order * EVENTS_PER_RUN + following.count + 1;
    following.count += projected.length;
    const events = projected
      .map(({ event, at }, index) => ({ event, at, seq: first + index }))
      .filter(({ event, seq }) => seq > since && options.wants(event, seq))
      .map(({ event, at, seq }) => toEvent(event, { at, seq }));
    const after = part.kind === 'events' ? (part.events.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY;
    yield { events, place: { order: run.thread_order, after } };
  }
}

/**
 * The position from which to read for an event number. It is the start of the run, because numbers are found by counting
 * the run's events.
 */
function placeOf(since: number): ThreadPlace {
  return { order: Math.floor(since / EVENTS_PER_RUN), after: 0 };
}

/** The number before the first event of the thread's newest run. */
export async function findSeqBeforeLastRun(source: ThreadSource, threadId: string): Promise<number> {
  return seqBefore((await placeOfLastRun(source, threadId)).order);
}

/** The number before the first event of the run at a position in its thread. */
export function seqBefore(threadOrder: number): number {
  return threadOrder * EVENTS_PER_RUN;
}

/** The time of a run's end, which must not be earlier than its last event. */
function endOf(ended: RunRow | undefined, lastAt: number): number {
  return ended?.ended_at == null ? lastAt : Math.max(lastAt, Date.parse(ended.ended_at));
}

function toEvent(
  { method, namespace, data }: ProjectedEvent,
  { at, seq }: { at: number; seq: number },
): ProtocolEvent {
  return {
    type: 'event',
    event_id: String(seq),
    seq,
    method,
    params: { namespace: [...namespace], timestamp: at, data },
  };
}
