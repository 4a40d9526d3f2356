import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerRead } from '../contract/endpoint.ts';
import type { runs } from '../contract/tracing/runs.ts';
import { isoTime, millisecondsOf } from '../terms/times.ts';
import type { Client } from './client.ts';

/** A trace as its root run describes it. */
export type ListedTrace = AnswerRead<typeof runs.query>['runs'][number];

export interface TraceQuery {
  readonly sessionId: string;
  /** A condition for the root run, in the public filter language. */
  readonly filter?: string | undefined;
  /** Only traces that began at this time (ISO 8601) or later. */
  readonly since?: string | undefined;
  /** Only traces whose root run failed. */
  readonly error?: boolean | undefined;
}

const FIELDS = [
  'id',
  'trace_id',
  'name',
  'run_type',
  'status',
  'error',
  'start_time',
  'end_time',
  'total_tokens',
  'total_cost',
  'feedback_stats',
];
const PAGE_SIZE = 100;
const POLL_MS = 1_000;
/** How much later than a newer trace a trace may arrive, since traces are sent in batches. */
const LATE_MS = 60_000;

/**
 * The traces of a project, latest first, page by page.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export async function* listTraces(
  { tracing }: Pick<Client, 'tracing'>,
  query: TraceQuery,
  { signal, limit = Number.POSITIVE_INFINITY }: { signal?: AbortSignal; limit?: number } = {},
): AsyncGenerator<ListedTrace, void, undefined> {
  let left = limit;
  let cursor: string | null | undefined;
  while (left > 0) {
    const page = await tracing.runs.query(
      {
        body: {
          session: [query.sessionId],
          is_root: true,
          order: 'desc',
          limit: Math.min(PAGE_SIZE, left),
          select: FIELDS,
          cursor: cursor ?? null,
          ...(query.filter === undefined ? {} : { filter: query.filter }),
          ...(query.since === undefined ? {} : { start_time: query.since }),
          ...(query.error === undefined ? {} : { error: query.error }),
        },
      },
      { signal },
    );
    yield* page.runs;
    left -= page.runs.length;
    cursor = page.cursors.next;
    if (!cursor) return;
  }
}

/**
 * Yields traces when they end, without those that ended before, until the signal is aborted. It polls, so it
 * works with every platform. A trace that arrives more than a minute after a newer one is missed.
 * @param options.seen traces that have been shown already.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export async function* followTraces(
  client: Pick<Client, 'tracing'>,
  query: TraceQuery,
  { signal, seen = [] }: { signal?: AbortSignal; seen?: readonly ListedTrace[] } = {},
): AsyncGenerator<ListedTrace, never, undefined> {
  const ended = new Set(seen.filter(hasEnded).map(({ id }) => id));
  const began = Date.now();
  /** When the traces that have not ended began, by ID. */
  const pending = new Map(
    seen.filter((trace) => !hasEnded(trace)).map((trace) => [trace.id, startOf(trace)]),
  );
  let newest = began;
  // A trace that ended before the call, but was not among those shown, is not new.
  const oldest = seen.length === 0 ? undefined : Math.min(...seen.map(startOf));
  // If none was shown, a trace that ended up to a second before the call is new, too.
  const isNew = (trace: ListedTrace) =>
    oldest === undefined ? endOf(trace) >= began - POLL_MS : startOf(trace) >= oldest;
  for (;;) {
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
    const from = Math.min(newest - LATE_MS, ...pending.values());
    const fresh: ListedTrace[] = [];
    const since = isoTime(from);
    for await (const trace of listTraces(
      client,
      { ...query, since },
      signal === undefined ? {} : { signal },
    )) {
      newest = Math.max(newest, startOf(trace));
      if (ended.has(trace.id)) continue;
      if (!hasEnded(trace)) pending.set(trace.id, startOf(trace));
      else {
        pending.delete(trace.id);
        ended.add(trace.id);
        if (isNew(trace)) fresh.push(trace);
      }
    }
    yield* fresh.toReversed();
  }
}

function hasEnded({ end_time }: ListedTrace): boolean {
  return end_time !== null && end_time !== undefined;
}

function startOf({ start_time }: ListedTrace): number {
  return millisecondsOf(start_time) ?? Date.now();
}

function endOf({ end_time }: ListedTrace): number {
  return millisecondsOf(end_time) ?? Date.now();
}
