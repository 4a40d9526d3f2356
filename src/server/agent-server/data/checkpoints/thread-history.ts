import type { Selectable } from 'kysely';
import type {
  CheckpointTuple,
  PendingWrite,
  SerializedValue,
} from '../../../../runtime/protocol/protocol.ts';
import { PreparedQuery } from '../../../storage/prepared-query.ts';
import { type Reading, readAll, readFirst } from '../../../storage/reading.ts';
import type {
  CheckpointBlobTable,
  CheckpointWriteTable,
  HistoryTable,
} from '../../../storage/state-schema.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import {
  type BaseRow,
  blobsOf,
  type CheckpointRow,
  newestOwnCheckpoint,
  newestUpTo,
  writesOf,
} from './checkpoint-queries.ts';
import { toValue } from './stored-value.ts';

type BlobRow = Selectable<CheckpointBlobTable>;
type WriteRow = Selectable<CheckpointWriteTable>;

/** The part of its source's history that a copied thread reads. */
export interface Base {
  readonly thread_id: string;
  /** The position of the last checkpoint that is shared. */
  readonly seq: number;
  /** A write is shared if the base had at most this number of copies when it was made. */
  readonly copies: number;
}

/** The history of a thread: its own checkpoints, and those of its base that it has not replaced. */
export interface History {
  readonly thread_id: string;
  readonly base: Base | undefined;
}

/**
 * Writes with a negative index replace those of an earlier attempt at the same task; all others stay as first
 * written.
 */
export const SPECIAL_INDEX_BELOW = 0;

const historyOf = new PreparedQuery<Pick<HistoryTable, 'thread_id'>, BaseRow>((db, value) =>
  db
    .selectFrom('histories')
    .select(['base_id', 'base_copies', 'shared_seq'])
    .where('thread_id', '=', value('thread_id')),
);

/** Reads where a thread's checkpoints are stored. */
export function* readHistoryOf(thread_id: string): Reading<History> {
  return { thread_id, base: toBase(yield* readFirst(historyOf, { thread_id })) };
}

/** Reads the newest checkpoint of a namespace, with a single query if the thread is not a copy. */
export function* readNewest(
  thread_id: string,
  checkpoint_ns: string,
): Reading<{ history: History; row: CheckpointRow | undefined }> {
  const found = yield* readFirst(newestOwnCheckpoint, { thread_id, checkpoint_ns });
  const history = { thread_id, base: toBase(found) };
  const own = found === undefined || found.checkpoint_id === null ? undefined : (found as CheckpointRow);
  if (history.base === undefined) return { history, row: own };
  const { thread_id: base_id, seq } = history.base;
  const shared = yield* readFirst(newestUpTo, { thread_id: base_id, checkpoint_ns, seq });
  const [row] = mergeCheckpoints(own === undefined ? [] : [own], shared === undefined ? [] : [shared]);
  return { history, row };
}

function toBase(row: Partial<BaseRow> | undefined): Base | undefined {
  const { base_id, shared_seq, base_copies } = row ?? {};
  if (base_id == null) return undefined;
  return { thread_id: base_id, seq: shared_seq ?? 0, copies: base_copies ?? 0 };
}

/** Merges checkpoints, newest first. A thread's own take precedence over those of its base. */
export function mergeCheckpoints(
  own: readonly CheckpointRow[],
  shared: readonly CheckpointRow[],
): CheckpointRow[] {
  if (shared.length === 0) return [...own];
  const placeOf = (row: CheckpointRow) => keyOf(row.checkpoint_ns, row.checkpoint_id);
  const owned = new Set(own.map(placeOf));
  return [...own, ...shared.filter((row) => !owned.has(placeOf(row)))].sort((a, b) => b.seq - a.seq);
}

/**
 * Reads the channel values and pending writes of checkpoint rows, with two queries for any number of rows,
 * and two more if the thread is a copy.
 */
export function* readTuples(
  { thread_id, base }: History,
  rows: readonly CheckpointRow[],
): Reading<CheckpointTuple[]> {
  if (rows.length === 0) return [];
  const versionsOf = rows.map((row) => parseStored(row.channel_versions));
  const places = JSON.stringify(rows.map((row) => [row.checkpoint_ns, row.checkpoint_id]));
  // Consecutive checkpoints share most values.
  const neededBlobs = new Set(
    rows.flatMap(({ checkpoint_ns }, at) =>
      Object.entries(versionsOf[at] ?? {}).map(([channel, version]) =>
        keyOf(checkpoint_ns, channel, version),
      ),
    ),
  );
  const wanted = `[${[...neededBlobs].join()}]`;
  const { writes, blobs } = yield* readContents({ thread_id, base }, { places, wanted });
  const blobByKey = new Map<string, BlobRow>(
    blobs.map((blob) => [keyOf(blob.checkpoint_ns, blob.channel, blob.version), blob]),
  );
  const writesByKey = Map.groupBy(writes, (write) => keyOf(write.checkpoint_ns, write.checkpoint_id));
  return rows.map((row, at) => {
    const channel_values: Record<string, SerializedValue> = {};
    for (const [channel, version] of Object.entries(versionsOf[at] ?? {})) {
      // While a thread is imported, checkpoints may lack values, which arrive after them.
      const blob = blobByKey.get(keyOf(row.checkpoint_ns, channel, version));
      if (blob !== undefined) channel_values[channel] = toValue(blob);
    }
    const metadata = parseStored(row.metadata);
    return {
      thread_id,
      checkpoint_ns: row.checkpoint_ns,
      checkpoint_id: row.checkpoint_id,
      parent_checkpoint_id: row.parent_checkpoint_id,
      checkpoint: toValue(row),
      channel_versions: versionsOf[at] ?? {},
      channel_values,
      metadata: row.thread_id === thread_id ? metadata : { ...metadata, thread_id },
      pending_writes: (writesByKey.get(keyOf(row.checkpoint_ns, row.checkpoint_id)) ?? []).map(
        (write): PendingWrite => ({
          task_id: write.task_id,
          task_path: write.task_path,
          index: write.index,
          channel: write.channel,
          value: toValue(write),
        }),
      ),
    };
  });
}

/**
 * Reads the writes and values of a thread, and those of its base that it shares.
 * @param keys.places a JSON list of `[namespace, checkpoint]`.
 * @param keys.wanted a JSON list of `[namespace, channel, version]`.
 */
function* readContents(
  { thread_id, base }: History,
  { places, wanted }: { readonly places: string; readonly wanted: string },
): Reading<{ writes: readonly WriteRow[]; blobs: readonly BlobRow[] }> {
  const writes = yield* readAll(writesOf, { thread_id, wanted: places });
  const blobs = yield* readAll(blobsOf, { thread_id, wanted });
  if (base === undefined) return { writes, blobs };
  const ofBase = yield* readAll(writesOf, { thread_id: base.thread_id, wanted: places });
  const shared = ofBase.filter(({ after_copies }) => after_copies <= base.copies);
  const sharedBlobs = yield* readAll(blobsOf, { thread_id: base.thread_id, wanted });
  // Where both have a value, that of the thread itself comes last, and counts.
  return { writes: mergeWrites(writes, shared), blobs: [...sharedBlobs, ...blobs] };
}

/** Merges the writes of a copy and of its base, as if all had been written to one thread. */
function mergeWrites(own: readonly WriteRow[], shared: readonly WriteRow[]): WriteRow[] {
  const byPlace = new Map<string, WriteRow>();
  for (const write of [...shared, ...own]) {
    const { checkpoint_ns, checkpoint_id, task_id, index } = write;
    const place = keyOf(checkpoint_ns, checkpoint_id, task_id, String(index));
    if (index < SPECIAL_INDEX_BELOW || !byPlace.has(place)) byPlace.set(place, write);
  }
  return [...byPlace.values()].sort((a, b) =>
    a.task_id === b.task_id ? a.index - b.index : a.task_id < b.task_id ? -1 : 1,
  );
}

/** The part of a row's key after the thread ID, as used in queries for many rows. */
function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
