import type { Kysely } from 'kysely';
import type { CheckpointListParams, CheckpointTuple } from '../../../../runtime/protocol/protocol.ts';
import { asMember, memberOf } from '../../../storage/dialect-expressions.ts';
import { PreparedQuery } from '../../../storage/prepared-query.ts';
import { type Reading, readAll, readFirst, readOnce } from '../../../storage/reading.ts';
import type { StateSchema } from '../../../storage/state-schema.ts';
import { type CheckpointRow, newestCheckpoints } from './checkpoint-queries.ts';
import { type Base, type History, mergeCheckpoints, readHistoryOf, readTuples } from './thread-history.ts';

/** Reads the checkpoints that match a search, newest first. */
export function* listCheckpoints(params: CheckpointListParams): Reading<CheckpointTuple[]> {
  const { thread_id, checkpoint_ns, checkpoint_id, before, filter, limit } = params;
  const history = yield* readHistoryOf(thread_id);
  const isPlain = before === undefined && checkpoint_id === undefined && filter === undefined;
  const rows =
    checkpoint_ns !== undefined && limit !== undefined && isPlain
      ? yield* readNewestOf(history, checkpoint_ns, limit)
      : yield* search(history, params);
  return yield* readTuples(history, rows.slice(0, limit));
}

function* readNewestOf(
  { thread_id, base }: History,
  checkpoint_ns: string,
  limit: number,
): Reading<CheckpointRow[]> {
  const key = { thread_id, checkpoint_ns, limit, seq: Number.MAX_SAFE_INTEGER };
  const own = yield* readAll(newestCheckpoints, key);
  const shared = base === undefined ? [] : yield* readAll(newestCheckpoints, { ...key, ...base });
  return mergeCheckpoints(own, shared);
}

function* search(history: History, params: CheckpointListParams): Reading<CheckpointRow[]> {
  const { before, filter = {} } = params;
  const { thread_id, base } = history;
  const start = before === undefined ? undefined : yield* readPosition(history, before);
  const own = yield* readOnce((db) => select(db, thread_id, params, start));
  if (base === undefined) return own;
  // The metadata of shared rows has the ID of the base, and readers see the ID of the copy instead.
  const { thread_id: wanted = thread_id, ...others } = filter;
  if (wanted !== thread_id) return own;
  const shared = yield* readOnce((db) =>
    select(db, base.thread_id, { ...params, filter: others }, start)
      .where('seq', '<=', base.seq)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('checkpoints as own')
              .select('own.seq')
              .where('own.thread_id', '=', thread_id)
              .whereRef('own.checkpoint_ns', '=', 'checkpoints.checkpoint_ns')
              .whereRef('own.checkpoint_id', '=', 'checkpoints.checkpoint_id'),
          ),
        ),
      ),
  );
  return mergeCheckpoints(own, shared);
}

/**
 * Selects a thread's own checkpoints.
 * @param start the position of the checkpoint `before`; undefined if it is not stored.
 */
function select(
  db: Kysely<StateSchema>,
  threadId: string,
  { checkpoint_ns, checkpoint_id, before, filter = {}, limit }: CheckpointListParams,
  start: number | undefined,
) {
  let query = db
    .selectFrom('checkpoints')
    .selectAll()
    .where('thread_id', '=', threadId)
    .orderBy('seq', 'desc');
  if (checkpoint_ns !== undefined) query = query.where('checkpoint_ns', '=', checkpoint_ns);
  if (checkpoint_id !== undefined) query = query.where('checkpoint_id', '=', checkpoint_id);
  if (before !== undefined) {
    query = start === undefined ? query.where('checkpoint_id', '<', before) : query.where('seq', '<', start);
  }
  for (const [key, value] of Object.entries(filter)) {
    query = query.where(memberOf('metadata', key), '=', asMember(value));
  }
  return limit === undefined ? query : query.limit(limit);
}

const positionOf = new PreparedQuery<Base & { own_id: string; checkpoint_id: string }, { seq: number }>(
  (db, value) =>
    db
      .selectFrom('checkpoints')
      .select('seq')
      .where((of) =>
        of.or([
          of('thread_id', '=', value('own_id')),
          of.and([of('thread_id', '=', value('thread_id')), of('seq', '<=', value('seq'))]),
        ]),
      )
      .where('checkpoint_id', '=', value('checkpoint_id')),
);

/** The position of a checkpoint in its thread; undefined when it is not stored. */
function* readPosition({ thread_id, base }: History, checkpoint_id: string): Reading<number | undefined> {
  const shared = base ?? { thread_id: '', seq: 0, copies: 0 };
  return (yield* readFirst(positionOf, { ...shared, own_id: thread_id, checkpoint_id }))?.seq;
}
