import { sql } from 'kysely';
import type {
  CheckpointListParams,
  CheckpointPutParams,
  CheckpointPutWritesParams,
  CheckpointTuple,
  PendingWrite,
  SerializedValue,
} from '../../../runtime/protocol/protocol.ts';
import { type Reading, readAll, readFirst } from '../../storage/reading.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Unit, Write } from '../../storage/unit.ts';
import { asMember, memberOf, numberIn } from '../../storage/words.ts';
import { lookAndWrite } from '../look-and-write.ts';
import {
  blobsOf,
  type CheckpointRow,
  insertBlobs,
  insertCheckpoint,
  insertWrites,
  newestCheckpoint,
  newestCheckpoints,
  oneCheckpoint,
  replaceWrite,
  writesOf,
} from './checkpoint-queries.ts';
import { toData, toValue } from './stored-value.ts';

/** Channels whose writes replace what an earlier attempt of the same task wrote; all others are kept as first written. */
const SPECIAL_INDEX_BELOW = 0;

/**
 * Checkpoints, stored like LangGraph's own database savers do: each channel version once, checkpoints with
 * their versions, and pending writes. Serialized values are stored unchanged.
 */
export class CheckpointStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** @param eventsBefore the number of the last event that its run had emitted before it. */
  put(unit: Unit, put: CheckpointPutParams, eventsBefore: number | null): void {
    const { thread_id, checkpoint_ns } = put;
    const blobs = Object.entries(put.channel_values).map(([channel, value]) => ({
      thread_id,
      checkpoint_ns,
      channel,
      version: put.channel_versions[channel] ?? '',
      type: value.type,
      data: toData(value),
    }));
    unit.insert(insertBlobs, blobs);
    unit.run(insertCheckpoint, {
      thread_id,
      checkpoint_ns,
      checkpoint_id: put.checkpoint_id,
      parent_checkpoint_id: put.parent_checkpoint_id,
      run_id: put.run_id,
      type: put.checkpoint.type,
      data: toData(put.checkpoint),
      channel_versions: JSON.stringify(put.channel_versions),
      metadata: JSON.stringify(put.metadata),
      events_before: eventsBefore,
      created_at: new Date().toISOString(),
    });
  }

  putWrites(unit: Unit, put: CheckpointPutWritesParams): void {
    for (const write of put.writes) {
      const row = {
        thread_id: put.thread_id,
        checkpoint_ns: put.checkpoint_ns,
        checkpoint_id: put.checkpoint_id,
        task_id: write.task_id,
        index: write.index,
        task_path: write.task_path ?? '',
        channel: write.channel,
        type: write.value.type,
        data: toData(write.value),
      };
      if (write.index < SPECIAL_INDEX_BELOW) unit.run(replaceWrite, row);
      else unit.insert(insertWrites, [row]);
    }
  }

  /** A checkpoint with all its values; the newest of the namespace when no id is given. */
  get(threadId: string, checkpointNs: string, checkpointId?: string): Promise<CheckpointTuple | null> {
    const key = { thread_id: threadId, checkpoint_ns: checkpointNs };
    return this.#db.look(function* () {
      const row =
        checkpointId === undefined
          ? yield* readFirst(newestCheckpoint, key)
          : yield* readFirst(oneCheckpoint, { ...key, checkpoint_id: checkpointId });
      return row === undefined ? null : ((yield* readTuples([row]))[0] ?? null);
    });
  }

  /** The id of the checkpoint that a task ran from; undefined when it wrote nothing. */
  async ofTask(threadId: string, checkpointNs: string, taskId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('checkpoint_writes')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', checkpointNs)
      .where('task_id', '=', taskId)
      .limit(1)
      .executeTakeFirst();
    return row?.checkpoint_id;
  }

  /** Whether the thread has any checkpoint, in any namespace. */
  async exists(threadId: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Whether a run has stored a checkpoint of the thread's root namespace. */
  async hasCheckpointOf(threadId: string, runId: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('run_id', '=', runId)
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', '')
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** By its namespace, how many events a run had emitted before the newest checkpoint that it made. */
  async countEventsBefore(threadId: string, runId: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('checkpoints')
      .select('checkpoint_ns')
      .select((expression) => expression.fn.max('events_before').as('events'))
      .where('run_id', '=', runId)
      .where('thread_id', '=', threadId)
      .groupBy('checkpoint_ns')
      .execute();
    return new Map(rows.map(({ checkpoint_ns, events }) => [checkpoint_ns, events ?? 0]));
  }

  /** The last attempt at a run that stored a checkpoint; 0 when none has. */
  async findLastAttempt(threadId: string, runId: string): Promise<number> {
    const last = this.#db
      .selectFrom('checkpoints')
      .select(({ fn }) => fn.max(numberIn('metadata', 'run_attempt')).as('attempt'))
      .where('run_id', '=', runId)
      .where('thread_id', '=', threadId);
    const row = await this.#db.patiently(() => last.executeTakeFirst());
    return row?.attempt ?? 0;
  }

  /** Checkpoints, newest first, or only the one that is named. `filter` must be contained in a checkpoint's metadata. */
  async list(params: CheckpointListParams & { checkpoint_id?: string }): Promise<CheckpointTuple[]> {
    const wanted = Object.entries(params.filter ?? {});
    const { thread_id, checkpoint_ns, checkpoint_id, before, limit } = params;
    const isPlain = before === undefined && checkpoint_id === undefined && wanted.length === 0;
    if (checkpoint_ns !== undefined && limit !== undefined && isPlain) {
      return this.#db.look(function* () {
        return yield* readTuples(yield* readAll(newestCheckpoints, { thread_id, checkpoint_ns, limit }));
      });
    }
    let query = this.#db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', thread_id)
      .orderBy('seq', 'desc');
    if (checkpoint_ns !== undefined) query = query.where('checkpoint_ns', '=', checkpoint_ns);
    if (checkpoint_id !== undefined) query = query.where('checkpoint_id', '=', checkpoint_id);
    if (before !== undefined) {
      const seq = await this.#findSeq(thread_id, before);
      query = seq === undefined ? query.where('checkpoint_id', '<', before) : query.where('seq', '<', seq);
    }
    for (const [key, value] of wanted) {
      query = query.where(memberOf('metadata', key), '=', asMember(value));
    }
    if (limit !== undefined) query = query.limit(limit);
    const rows = await query.execute();
    return this.#db.look(() => readTuples(rows));
  }

  /** The position of a checkpoint in its thread; undefined when it is not stored. */
  async #findSeq(threadId: string, checkpointId: string): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('checkpoints')
      .select('seq')
      .where('thread_id', '=', threadId)
      .where('checkpoint_id', '=', checkpointId)
      .executeTakeFirst();
    return row?.seq;
  }

  deleteThread(unit: Unit, threadId: string): void {
    for (const table of ['checkpoint_writes', 'checkpoint_blobs', 'checkpoints'] as const) {
      unit.do(unit.build.deleteFrom(table).where('thread_id', '=', threadId));
    }
  }

  /** Deletes the checkpoints of a run, and their writes. */
  deleteRun(unit: Unit, threadId: string, runId: string): void {
    const { build } = unit;
    const made = build
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId);
    const ofThread = build.deleteFrom('checkpoint_writes').where('thread_id', '=', threadId);
    unit.do(ofThread.where('checkpoint_id', 'in', made));
    unit.do(build.deleteFrom('checkpoints').where('thread_id', '=', threadId).where('run_id', '=', runId));
  }

  /**
   * Deletes all checkpoints except the newest of each namespace, and values no longer referenced.
   * @param also writes stored in the same unit.
   */
  keepLatest(threadId: string, also?: Write): Promise<void> {
    return lookAndWrite(async () => {
      const newest = await this.#findNewestOfEach(threadId);
      await this.#db.commit((unit) => {
        also?.(unit);
        for (const row of newest) keepOnly(unit, row);
      }, threadId);
    });
  }

  #findNewestOfEach(threadId: string): Promise<NewestCheckpoint[]> {
    return this.#db
      .selectFrom('checkpoints as newest')
      .select(['thread_id', 'checkpoint_ns', 'checkpoint_id', 'seq', 'channel_versions'])
      .where('thread_id', '=', threadId)
      .where('seq', '=', (expression) =>
        expression
          .selectFrom('checkpoints as other')
          .select((of) => of.fn.max('other.seq').as('seq'))
          .whereRef('other.thread_id', '=', 'newest.thread_id')
          .whereRef('other.checkpoint_ns', '=', 'newest.checkpoint_ns'),
      )
      .execute();
  }
}

type NewestCheckpoint = Pick<
  CheckpointRow,
  'thread_id' | 'checkpoint_ns' | 'checkpoint_id' | 'seq' | 'channel_versions'
>;

/** Deletes what is older in its namespace, unless it is no longer the newest. */
function keepOnly(unit: Unit, { thread_id, checkpoint_ns, seq, channel_versions }: NewestCheckpoint): void {
  const checkpoints = unit.build
    .selectFrom('checkpoints')
    .select('checkpoint_id')
    .where('thread_id', '=', thread_id)
    .where('checkpoint_ns', '=', checkpoint_ns);
  unit.expect(checkpoints.where('seq', '>=', seq), 'stale');
  // Writes are deleted first, because checkpoints tell which run they belong to.
  for (const table of ['checkpoint_writes', 'checkpoints'] as const) {
    unit.do(
      unit.build
        .deleteFrom(table)
        .where('thread_id', '=', thread_id)
        .where('checkpoint_ns', '=', checkpoint_ns)
        .where('checkpoint_id', 'in', checkpoints.where('seq', '<', seq)),
    );
  }
  const kept = Object.entries(parseStored(channel_versions)).map(
    ([channel, version]) => `${channel}:${version}`,
  );
  unit.do(
    unit.build
      .deleteFrom('checkpoint_blobs')
      .where('thread_id', '=', thread_id)
      .where('checkpoint_ns', '=', checkpoint_ns)
      .where(sql`channel || ':' || version`, 'not in', [...kept, '']),
  );
}

/** Adds channel values and pending writes to checkpoint rows; three queries, however many rows. */
function* readTuples(rows: readonly CheckpointRow[]): Reading<CheckpointTuple[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { thread_id } = first;
  const versionsOf = rows.map((row) => parseStored(row.channel_versions));
  const writes = yield* readAll(writesOf, {
    thread_id,
    wanted: JSON.stringify(rows.map((row) => [row.checkpoint_ns, row.checkpoint_id])),
  });
  // Consecutive checkpoints share most values.
  const named = new Set(
    rows.flatMap(({ checkpoint_ns }, at) =>
      Object.entries(versionsOf[at] ?? {}).map(([channel, version]) =>
        keyOf(checkpoint_ns, channel, version),
      ),
    ),
  );
  const blobs = yield* readAll(blobsOf, { thread_id, wanted: `[${[...named].join()}]` });
  const blobByKey = new Map(
    blobs.map((blob) => [keyOf(blob.checkpoint_ns, blob.channel, blob.version), blob]),
  );
  const writesByKey = Map.groupBy(writes, (write) => keyOf(write.checkpoint_ns, write.checkpoint_id));
  return rows.map((row, at) => {
    const channel_values: Record<string, SerializedValue> = {};
    for (const [channel, version] of Object.entries(versionsOf[at] ?? {})) {
      const blob = blobByKey.get(keyOf(row.checkpoint_ns, channel, version));
      if (blob !== undefined) channel_values[channel] = toValue(blob);
    }
    return {
      thread_id: row.thread_id,
      checkpoint_ns: row.checkpoint_ns,
      checkpoint_id: row.checkpoint_id,
      parent_checkpoint_id: row.parent_checkpoint_id,
      checkpoint: toValue(row),
      channel_versions: versionsOf[at] ?? {},
      channel_values,
      metadata: parseStored(row.metadata),
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

/** The part of a row's key after the thread ID, as used in queries for many rows. */
function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
