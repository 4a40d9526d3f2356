import { sql } from 'kysely';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunRow } from '../runs/run-store.ts';
import type { StreamedEvent } from '../runs/run-stream.ts';
import type { RunWatch } from '../runs/run-watch.ts';
import type { Runs } from '../runs/runs.ts';

/** A position in the events of all runs of a thread: after event `after` of run number `order`. */
export interface ThreadPlace {
  readonly order: number;
  /** Infinity to skip the rest of that run. */
  readonly after: number;
}

export const THREAD_START: ThreadPlace = { order: 0, after: Number.POSITIVE_INFINITY };

/** Whether a position is at or after another. */
export function hasReached(place: ThreadPlace, wanted: ThreadPlace): boolean {
  return place.order > wanted.order || (place.order === wanted.order && place.after >= wanted.after);
}

export type FollowedPart =
  | { readonly kind: 'events'; readonly run: RunRow; readonly events: readonly StreamedEvent[] }
  /** `ended` is the run's last row; undefined when it was deleted at its end. */
  | { readonly kind: 'end'; readonly run: RunRow; readonly ended: RunRow | undefined }
  /** Nothing more has happened so far. */
  | { readonly kind: 'idle' };

export interface ThreadSource {
  readonly db: StateDatabase;
  readonly runs: Runs;
  readonly watch: RunWatch;
}

/** The current end: within the current run, if there is one. */
export async function placeNow(source: ThreadSource, threadId: string): Promise<ThreadPlace> {
  const last = await lastRun(source, threadId);
  if (last === undefined) return THREAD_START;
  if (last.ended_at !== null) return { order: last.thread_order, after: Number.POSITIVE_INFINITY };
  return { order: last.thread_order, after: (await source.runs.stream(last)).lastSeq };
}

/** The position before the newest run. */
export async function placeOfLastRun(source: ThreadSource, threadId: string): Promise<ThreadPlace> {
  const last = await lastRun(source, threadId);
  return last === undefined ? THREAD_START : { order: last.thread_order, after: 0 };
}

/** All events of a thread's runs, including future ones, until the thread is deleted or the reader leaves. */
export async function* followThread(
  source: ThreadSource,
  threadId: string,
  from: ThreadPlace,
  signal: AbortSignal,
): AsyncGenerator<FollowedPart> {
  let place = from;
  while (!signal.aborted) {
    const change = source.watch.next(threadId, signal);
    const run = await nextRun(source, threadId, place);
    if (run === undefined) {
      yield { kind: 'idle' };
      await change;
      if (!(await threadExists(source, threadId))) return;
      continue;
    }
    const after = run.thread_order === place.order ? place.after : 0;
    for await (const events of (await source.runs.stream(run)).read(after, signal)) {
      yield { kind: 'events', run, events };
    }
    if (signal.aborted) return;
    yield { kind: 'end', run, ended: await source.runs.find(run.run_id) };
    place = { order: run.thread_order, after: Number.POSITIVE_INFINITY };
  }
}

function nextRun({ db }: ThreadSource, threadId: string, { order, after }: ThreadPlace) {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('thread_order', '>=', Number.isFinite(after) ? order : order + 1)
    .where(hasOrder)
    .orderBy('thread_order')
    .limit(1)
    .executeTakeFirst();
}

/** A delayed run gets its position in the thread when it starts. */
const hasOrder = sql<boolean>`(start_after is null or started_at is not null or ended_at is not null)`;

function lastRun({ db }: ThreadSource, threadId: string) {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where(hasOrder)
    .orderBy('thread_order', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function threadExists({ db }: ThreadSource, threadId: string): Promise<boolean> {
  const row = await db
    .selectFrom('threads')
    .select('thread_id')
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  return row !== undefined;
}
