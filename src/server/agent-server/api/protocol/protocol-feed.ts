import type { ProtocolEvent } from '../../../../contract/agent-server/protocol.ts';
import type { RunRow } from '../../data/run-store.ts';
import type { StreamedEvent } from '../../runs/run-stream.ts';
import { findPlaceOfLastRun, followThread, type ThreadPlace, type ThreadSource } from '../follow-thread.ts';
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
  const from = since < 0 ? await findPlaceOfLastRun(source, threadId) : placeOf(since);
  let current: NumberedRun | undefined;
  for await (const part of followThread(source, threadId, from, options.signal)) {
    if (part.kind === 'idle') {
      yield { events: [], place: END };
      continue;
    }
    const { run } = part;
    if (current?.id !== run.run_id) current = new NumberedRun(run);
    const numbered = part.kind === 'events' ? current.take(part.events) : current.end(part.ended);
    const events = numbered.filter(({ event, seq }) => seq > since && options.wants(event, seq)).map(toEvent);
    const after = part.kind === 'events' ? (part.events.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY;
    yield { events, place: { order: run.thread_order, after } };
  }
}

/** An event of the protocol with its number and its time, in milliseconds since 1970. */
interface NumberedEvent {
  readonly event: ProjectedEvent;
  readonly seq: number;
  readonly at: number;
}

/** Gives the events of a run numbers and times. It must read all of them, because a number is a count. */
class NumberedRun {
  readonly id: string;
  readonly #projection: RunProjection;
  /** The number of the last event. */
  #seq: number;
  /** The time of the last event, or of the run's start. */
  #at: number;

  constructor(run: RunRow) {
    this.id = run.run_id;
    this.#projection = projectionOf(run);
    this.#seq = seqBefore(run.thread_order);
    this.#at = Date.parse(run.started_at ?? run.created_at);
  }

  /** The protocol's events for stored ones. */
  take(stored: readonly StreamedEvent[]): NumberedEvent[] {
    return stored.flatMap((event) => {
      this.#at = event.at ?? this.#at;
      return this.#number(this.#projection.event(event));
    });
  }

  /** The protocol's events at the end of the run. @param ended undefined if it was rolled back */
  end(ended: RunRow | undefined): NumberedEvent[] {
    // The end must not be earlier than the last event.
    if (ended?.ended_at != null) this.#at = Math.max(this.#at, Date.parse(ended.ended_at));
    return this.#number(this.#projection.end(ended?.status));
  }

  #number(events: readonly ProjectedEvent[]): NumberedEvent[] {
    return events.map((event) => ({ event, seq: ++this.#seq, at: this.#at }));
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
  return seqBefore((await findPlaceOfLastRun(source, threadId)).order);
}

/** The number before the first event of the run at a position in its thread. */
export function seqBefore(threadOrder: number): number {
  return threadOrder * EVENTS_PER_RUN;
}

function toEvent({ event: { method, namespace, data }, seq, at }: NumberedEvent): ProtocolEvent {
  return {
    type: 'event',
    event_id: String(seq),
    seq,
    method,
    params: { namespace: [...namespace], timestamp: at, data },
  };
}
