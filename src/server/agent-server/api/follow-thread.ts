import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunRow } from '../data/run-store.ts';
import type { StreamedEvent } from '../runs/run-stream.ts';
import type { Runs } from '../runs/runs.ts';

/** A position in the events of all runs of a thread: after event `after` of run number `order`. */
export interface ThreadPlace {
  readonly order: number;
  /** Infinity skips the rest of that run. */
  readonly after: number;
}

/** The position before all runs of a thread, whose numbers are at least 1. */
export const THREAD_START: ThreadPlace = { order: 0, after: Number.POSITIVE_INFINITY };

/** Whether a position is at or after another. */
export function hasReached(place: ThreadPlace, wanted: ThreadPlace): boolean {
  return place.order > wanted.order || (place.order === wanted.order && place.after >= wanted.after);
}

/** A part of what happens on a thread: events of a run, the end of a run, or nothing for now. */
export type FollowedPart =
  | { readonly kind: 'events'; readonly run: RunRow; readonly events: readonly StreamedEvent[] }
  /** `ended` is the run's last row; undefined when it was deleted at its end. */
  | { readonly kind: 'end'; readonly run: RunRow; readonly ended: RunRow | undefined }
  /** There are no further events so far. */
  | { readonly kind: 'idle' };

/** The database and the streams from which the events of threads are read. */
export interface ThreadSource {
  readonly db: StateDatabase;
  readonly runs: Pick<Runs, 'find' | 'stream'>;
}

/** The current end of a thread's events, which is within the current run if there is one. */
export async function findCurrentPlace(source: ThreadSource, threadId: string): Promise<ThreadPlace> {
  const current = (await findRunningRun(source, threadId)) ?? (await findLastRun(source, threadId));
  if (current === undefined) return THREAD_START;
  const { thread_order: order } = current;
  if (current.ended_at !== null) return { order, after: Number.POSITIVE_INFINITY };
  return { order, after: (await source.runs.stream(current)).lastSeq };
}

/** The position before the newest run, which may not have started yet. */
export async function findPlaceOfLastRun(source: ThreadSource, threadId: string): Promise<ThreadPlace> {
  const last = await findLastRun(source, threadId);
  if (last === undefined) return THREAD_START;
  if (await isAnyWaiting(source, threadId)) return { order: last.thread_order + 1, after: 0 };
  const newest = (await findRunningRun(source, threadId)) ?? last;
  return { order: newest.thread_order, after: 0 };
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
    const change = source.db.bus.next(`thread:${threadId}`, signal);
    const run = await readFor(source, signal, () => findNextRun(source, threadId, place));
    if (run === undefined) {
      yield { kind: 'idle' };
      await change;
      if ((await readFor(source, signal, () => threadExists(source, threadId))) !== true) return;
      continue;
    }
    const after = run.thread_order === place.order ? place.after : 0;
    const stream = await readFor(source, signal, () => source.runs.stream(run));
    if (stream === undefined) return;
    for await (const events of stream.read(after, signal)) yield { kind: 'events', run, events };
    const ended = await readFor(source, signal, () => source.runs.find(run.run_id));
    if (signal.aborted) return;
    yield { kind: 'end', run, ended };
    place = { order: run.thread_order, after: Number.POSITIVE_INFINITY };
  }
}

/**
 * Reads from the database, and retries while it cannot be reached, as long as there is a reader.
 * @returns undefined when the reader has left.
 */
export function readFor<Result>(
  { db }: ThreadSource,
  signal: AbortSignal,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  return db.outlasting(async () => (signal.aborted ? undefined : read()));
}

/**
 * Selects one of the runs that have their position in the thread: those that have started, or have ended
 * without starting.
 */
function selectPlacedRuns({ db }: ThreadSource, threadId: string) {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where(({ eb, or }) => or([eb('status', '<>', 'pending'), eb('started_at', 'is not', null)]))
    .limit(1);
}

function findNextRun(source: ThreadSource, threadId: string, { order, after }: ThreadPlace) {
  return selectPlacedRuns(source, threadId)
    .where('thread_order', '>=', Number.isFinite(after) ? order : order + 1)
    .orderBy('thread_order')
    .executeTakeFirst();
}

function findLastRun(source: ThreadSource, threadId: string) {
  return selectPlacedRuns(source, threadId).orderBy('thread_order', 'desc').executeTakeFirst();
}

/**
 * The run that has started but not ended. It may not be the last, because pending runs may be canceled after
 * its start.
 */
function findRunningRun(source: ThreadSource, threadId: string) {
  return selectPlacedRuns(source, threadId).where('status', 'in', ['pending', 'running']).executeTakeFirst();
}

/** Whether an accepted run waits for its turn, and not for a delayed start. */
async function isAnyWaiting({ db }: ThreadSource, threadId: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .select('run_id')
    .where('thread_id', '=', threadId)
    .where('status', '=', 'pending')
    .where('started_at', 'is', null)
    .where('start_after', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function threadExists({ db }: ThreadSource, threadId: string): Promise<boolean> {
  const row = await db
    .selectFrom('threads')
    .select('thread_id')
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  return row !== undefined;
}
