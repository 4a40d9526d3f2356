import { sql } from 'kysely';
import type {
  CheckpointListParams,
  CheckpointPutParams,
  CheckpointPutWritesParams,
  CheckpointTuple,
} from '../../../../runtime/protocol/protocol.ts';
import { membersOf, numberIn } from '../../../storage/dialect-expressions.ts';
import { isAmong } from '../../../storage/is-among.ts';
import { readFirst } from '../../../storage/reading.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import type { Unit, Write } from '../../../storage/unit.ts';
import { lookAndWrite } from '../look-and-write.ts';
import {
  type CheckpointRow,
  checkpointOfTask,
  insertBlobs,
  insertCheckpoint,
  insertWrites,
  oneCheckpoint,
  replaceWrite,
} from './checkpoint-queries.ts';
import { listCheckpoints } from './list-checkpoints.ts';
import { findNeededAncestors } from './rebuilt-channels.ts';
import { hasNoBase, isNotShared, keepForCopies, leaveBase, releaseCopies } from './shared-rows.ts';
import { toData } from './stored-value.ts';
import {
  type History,
  readHistoryOf,
  readNewest,
  readTuples,
  SPECIAL_INDEX_BELOW,
} from './thread-history.ts';

/** A namespace of a thread: that of the root graph, or of a subgraph. */
type Namespace = Readonly<Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns'>>;

/**
 * Checkpoints, stored in the way of LangGraph's own database savers: each channel version once, checkpoints
 * with their versions, and pending writes. Serialized values are stored unchanged.
 */
export class CheckpointStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /**
   * Stores a checkpoint, or replaces the one with the same ID.
   * @param eventsBefore the number of the last event that the run had emitted before the checkpoint,
   * including events that nodes sent immediately after the checkpoint.
   */
  put(unit: Unit, put: CheckpointPutParams, eventsBefore: number | null): void {
    const { thread_id, checkpoint_ns } = put;
    const blobs = Object.entries(put.channel_values).map(([channel, value]) => ({
      thread_id,
      checkpoint_ns,
      channel,
      // Runtimes send a version with each value.
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

  /** Stores the writes of tasks. Writes with a negative index replace those of an earlier attempt. */
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

  /** Refuses the unit as gone unless the thread's own rows include a checkpoint. */
  expectStored(unit: Unit, checkpoint: Namespace & { readonly checkpoint_id: string }): void {
    const { thread_id, checkpoint_ns, checkpoint_id } = checkpoint;
    const rows = unit.build.selectFrom('checkpoints').select('seq').where('thread_id', '=', thread_id);
    unit.expect(
      rows.where('checkpoint_ns', '=', checkpoint_ns).where('checkpoint_id', '=', checkpoint_id),
      'gone',
    );
  }

  /** A checkpoint with all its values; the newest of the namespace when no ID is given. */
  get({
    thread_id,
    checkpoint_ns,
    checkpoint_id,
  }: Namespace & { readonly checkpoint_id?: string | undefined }): Promise<CheckpointTuple | null> {
    return this.#db.look(function* () {
      const { history, row } =
        checkpoint_id === undefined
          ? yield* readNewest(thread_id, checkpoint_ns)
          : yield* readOne({ thread_id, checkpoint_ns, checkpoint_id });
      return row === undefined ? null : ((yield* readTuples(history, [row]))[0] ?? null);
    });
  }

  /** The ID of the checkpoint that a task ran from; undefined if the task wrote nothing. */
  async findIdOfTask(task: Namespace & { readonly task_id: string }): Promise<string | undefined> {
    const row = await this.#db.look(function* () {
      const { base } = yield* readHistoryOf(task.thread_id);
      const shared = { base_id: base?.thread_id ?? '', copies: base?.copies ?? 0 };
      return yield* readFirst(checkpointOfTask, { ...task, ...shared });
    });
    return row?.checkpoint_id;
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

  /** How many events a run had emitted before the newest checkpoint that it made, by namespace. */
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

  /** The last attempt of a run that stored a checkpoint; 0 if none has. */
  async findLastAttempt(threadId: string, runId: string): Promise<number> {
    const last = this.#db
      .selectFrom('checkpoints')
      .select(({ fn }) => fn.max(numberIn('metadata', 'run_attempt')).as('attempt'))
      .where('run_id', '=', runId)
      .where('thread_id', '=', threadId);
    const row = await this.#db.outlasting(() => last.executeTakeFirst());
    return row?.attempt ?? 0;
  }

  /**
   * The checkpoints that match a search, newest first. Their metadata contains `filter`.
   */
  list(params: CheckpointListParams): Promise<CheckpointTuple[]> {
    return this.#db.look(() => listCheckpoints(params));
  }

  /**
   * Deletes all checkpoints of a thread. The unit is refused as stale while copies read them, or while the
   * thread reads those of another.
   */
  #deleteAll(unit: Unit, threadId: string): void {
    unit.expect(isNotShared, { thread_id: threadId }, 'stale');
    unit.expect(hasNoBase, { thread_id: threadId }, 'stale');
    for (const table of ['checkpoint_writes', 'checkpoint_blobs', 'checkpoints'] as const) {
      unit.do(unit.build.deleteFrom(table).where('thread_id', '=', threadId));
    }
  }

  /**
   * Deletes all checkpoints of a thread.
   * @param write stores a unit, to which it may add its own writes.
   */
  deleteThread(threadId: string, write: (unit: Write) => Promise<void>): Promise<void> {
    return lookAndWrite(async () => {
      await this.#isolate(threadId);
      await write((unit) => this.#deleteAll(unit, threadId));
    });
  }

  /** Gives a thread and each of its copies their own rows. */
  async #isolate(threadId: string): Promise<void> {
    await releaseCopies(this.#db, threadId);
    await leaveBase(this.#db, threadId);
  }

  /** Deletes the checkpoints of a run, and their writes; copies that share them keep them. */
  deleteRun(unit: Unit, threadId: string, runId: string): void {
    const { build } = unit;
    keepForCopies(unit, threadId, runId);
    const ofRun = build
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId);
    const ofThread = build.deleteFrom('checkpoint_writes').where('thread_id', '=', threadId);
    unit.do(ofThread.where('checkpoint_id', 'in', ofRun));
    unit.do(build.deleteFrom('checkpoints').where('thread_id', '=', threadId).where('run_id', '=', runId));
  }

  /**
   * Deletes all checkpoints except the newest of each namespace and those from which it is rebuilt. Also
   * deletes the values that no remaining checkpoint refers to.
   * @param also adds writes to the same unit.
   */
  keepLatest(threadId: string, also?: Write): Promise<void> {
    return lookAndWrite(async () => {
      await this.#isolate(threadId);
      const newest = await this.#findNewestOfEach(threadId);
      const needed = await findNeededAncestors(this.#db, threadId, newest);
      await this.#db.commit((unit) => {
        unit.expect(isNotShared, { thread_id: threadId }, 'stale');
        unit.expect(hasNoBase, { thread_id: threadId }, 'stale');
        also?.(unit);
        for (const row of newest) keepOnly(unit, row, needed.get(row.checkpoint_ns) ?? []);
      }, threadId);
    });
  }

  #findNewestOfEach(threadId: string): Promise<NewestCheckpoint[]> {
    return this.#db
      .selectFrom('checkpoints as newest')
      .select(['thread_id', 'checkpoint_ns', 'checkpoint_id', 'seq'])
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

function* readOne(place: Namespace & { readonly checkpoint_id: string }) {
  const history: History = yield* readHistoryOf(place.thread_id);
  const { base } = history;
  const own = yield* readFirst(oneCheckpoint, place);
  if (own !== undefined || base === undefined) return { history, row: own };
  const shared = yield* readFirst(oneCheckpoint, { ...place, thread_id: base.thread_id });
  return { history, row: shared !== undefined && shared.seq <= base.seq ? shared : undefined };
}

type NewestCheckpoint = Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns' | 'checkpoint_id' | 'seq'>;

/**
 * Deletes the unneeded checkpoints that are older than this one in its namespace, and the values that no
 * remaining checkpoint refers to. The unit is refused as stale if this checkpoint has been deleted, and
 * there is no newer one.
 * @param needed the IDs of older checkpoints that are kept.
 */
function keepOnly(
  unit: Unit,
  { thread_id, checkpoint_ns, seq }: NewestCheckpoint,
  needed: readonly string[],
): void {
  const checkpoints = unit.build
    .selectFrom('checkpoints')
    .select('checkpoint_id')
    .where('thread_id', '=', thread_id)
    .where('checkpoint_ns', '=', checkpoint_ns);
  unit.expect(checkpoints.where('seq', '>=', seq), 'stale');
  const older = checkpoints.where('seq', '<', seq);
  const superseded =
    needed.length === 0 ? older : older.where(({ not }) => not(isAmong('checkpoint_id', needed)));
  // Writes are deleted first, because they are selected by the checkpoints to delete.
  for (const table of ['checkpoint_writes', 'checkpoints'] as const) {
    unit.do(
      unit.build
        .deleteFrom(table)
        .where('thread_id', '=', thread_id)
        .where('checkpoint_ns', '=', checkpoint_ns)
        .where('checkpoint_id', 'in', superseded),
    );
  }
  const referenced = sql`select v.key, v.value
    from checkpoints as c cross join ${membersOf(sql.ref('c.channel_versions'), 'v')}
    where c.thread_id = ${thread_id} and c.checkpoint_ns = ${checkpoint_ns}`;
  unit.do(
    unit.build
      .deleteFrom('checkpoint_blobs')
      .where('thread_id', '=', thread_id)
      .where('checkpoint_ns', '=', checkpoint_ns)
      .where(sql<boolean>`(channel, version) not in (${referenced})`),
  );
}
