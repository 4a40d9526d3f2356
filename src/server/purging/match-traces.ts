import { type Compilable, type SelectQueryBuilder, sql } from 'kysely';
import type { PurgeCounts, PurgeSample } from '../../contract/purging.ts';
import type { PurgeFilter } from '../tracing/database/purge-schema.ts';
import { formatTime, requireTime } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import type { TracesSchema } from '../tracing/database/traces-schema.ts';
import { findExamplesWithMetadata } from '../tracing/datasets/find-examples.ts';
import { labelType, labelValue } from '../tracing/runs/labels.ts';
import { waitingMatch } from './waiting-pieces.ts';

/** The start of a trace. Without a root, it is the time when the first part was received. */
const BEGAN = sql<number>`coalesce(
  (select min(root.start_time) from runs as root where root.trace = traces.key and root.parent_id is null),
  traces.first_received_at)`;

/**
 * Selects the traces that match a filter.
 * @param waiting the IDs of traces that have the filter's metadata in data that waits for its run.
 */
export function matchingTraces(
  db: TracesDatabase,
  workspace: number,
  filter: PurgeFilter,
  waiting: ReadonlySet<string>,
) {
  let traces = db.build.selectFrom('traces').where('traces.workspace', '=', workspace);
  if (filter.session !== undefined) traces = traces.where('traces.session', '=', filter.session);
  if (filter.session_id !== undefined) {
    traces = traces.where('traces.session', 'in', (query) =>
      query
        .selectFrom('sessions')
        .select('sessions.key')
        .where('sessions.workspace', '=', workspace)
        .where('sessions.id', '=', filter.session_id ?? ''),
    );
  }
  if (filter.trace_ids !== undefined) traces = traces.where('traces.id', 'in', [...filter.trace_ids]);
  if (filter.expired_by !== undefined) traces = traces.where('traces.expires_at', '<=', filter.expired_by);
  const before = micros(filter.before, 'before');
  if (before !== undefined) traces = traces.where(BEGAN, '<', before);
  const since = micros(filter.start_time, 'start_time');
  if (since !== undefined) traces = traces.where(BEGAN, '>=', since);
  if (filter.metadata !== undefined) {
    const pairs = Object.entries(filter.metadata).map(
      ([name, value]) => sql<boolean>`(labels.name = ${name} and labels.value = ${labelValue(value) ?? ''}
        and labels.type in (${labelType(value)}, 'unknown'))`,
    );
    traces = traces.where(
      sql<boolean>`(traces.id in (select value from json_each(${JSON.stringify([...waiting])})) or traces.key in (
        select runs.trace from labels
        join run_labels on run_labels.label = labels.key
        join runs on runs.key = run_labels.run
        where labels.kind = 'metadata' and (${sql.join(pairs, sql` or `)})
          and labels.session in (select key from sessions where workspace = ${workspace})))`,
    );
  }
  return traces;
}

/** Counts what a purge would delete, without reading the matching traces one by one. */
export function countMatching(db: TracesDatabase, workspace: number, filter: PurgeFilter): PurgeCounts {
  const examples = filter.delete_examples
    ? { examples: findExamplesWithMetadata({ db }, workspace, filter.metadata ?? {}).length }
    : {};
  const { waiting, unstored, pieces } = waitingMatch(db, workspace, filter);
  const matching = matchingTraces(db, workspace, filter, waiting);
  const early = pieces.filter(({ traceId }) => unstored.has(traceId));
  const keys = matching.select('traces.key');
  const traces = countAndSum(
    db,
    matching.select((on) => [on.fn.countAll().as('count'), on.fn.sum('traces.run_count').as('sum')]),
  );
  const feedback = (['trace_id', 'told_trace_id'] as const).map((column) =>
    countAndSum(
      db,
      db.build
        .selectFrom('feedback')
        .select((on) => on.fn.countAll().as('count'))
        .where('workspace', '=', workspace)
        .where(column, 'in', matching.select('traces.id')),
    ),
  );
  const attachments = countAndSum(
    db,
    db.build
      .selectFrom('attachments')
      .select((on) => [on.fn.countAll().as('count'), on.fn.sum('length').as('sum')])
      .where('trace', 'in', keys),
  );
  const waitingBytes = early.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    traces: traces.count + unstored.size,
    runs: traces.sum + early.length,
    feedback: feedback.reduce((sum, { count }) => sum + count, 0),
    attachments: attachments.count,
    bytes: attachments.sum + payloadBytes(db, keys) + waitingBytes,
    ...examples,
  };
}

/** Reads the columns `count` and `sum` of a query with one row; 0 for a missing or empty one. */
function countAndSum(db: TracesDatabase, query: Compilable<Record<string, unknown>>) {
  const row = db.get(query) ?? {};
  return { count: Number(row.count ?? 0), sum: Number(row.sum ?? 0) };
}

/** Counts the bytes of the payloads of traces: those of compressed blocks, and the lengths of separate blobs. */
function payloadBytes(
  db: TracesDatabase,
  keys: SelectQueryBuilder<TracesSchema, 'traces', { key: number }>,
): number {
  const blocks = countAndSum(
    db,
    db.build.selectFrom('payload_blocks').select(sql`sum(length(data))`.as('sum')).where('trace', 'in', keys),
  );
  const blobs = countAndSum(
    db,
    db.build
      .selectFrom('runs')
      .innerJoin(sql`json_each(runs.payloads)`.as('place'), (join) => join.onTrue())
      .select(sql`sum(cast(json_extract(place.value, '$.length') as bigint))`.as('sum'))
      .where('runs.trace', 'in', keys)
      .where('runs.payloads', 'like', '%"blob"%')
      .where(sql<boolean>`place.type = 'object'`),
  );
  return blocks.sum + blobs.sum;
}

/** The matching traces with their root runs. */
function matchingRoots(db: TracesDatabase, workspace: number, filter: PurgeFilter) {
  const { waiting } = waitingMatch(db, workspace, filter);
  return matchingTraces(db, workspace, filter, waiting).innerJoin('runs', (join) =>
    join.onRef('runs.trace', '=', 'traces.key').on('runs.parent_id', 'is', null),
  );
}

/** A sample of the matching traces, newest first. */
export function readSample(
  db: TracesDatabase,
  workspace: number,
  filter: PurgeFilter,
  limit: number,
): PurgeSample[] {
  const rows = db.all(
    matchingRoots(db, workspace, filter)
      .innerJoin('sessions', 'sessions.key', 'traces.session')
      .select(['traces.id as trace_id', 'sessions.id as session_id', 'runs.name', 'runs.start_time'])
      .orderBy('traces.first_received_at', 'desc')
      .limit(limit),
  );
  return rows.map(({ start_time, ...row }) => ({ ...row, start_time: formatTime(start_time) }));
}

/** The IDs of the threads of matching traces, from the metadata of their roots; at most `limit`. */
export function readThreads(
  db: TracesDatabase,
  workspace: number,
  filter: PurgeFilter,
  limit: number,
): string[] {
  const rows = db.all(
    matchingRoots(db, workspace, filter)
      .innerJoin('run_labels', 'run_labels.run', 'runs.key')
      .innerJoin('labels', 'labels.key', 'run_labels.label')
      .where('labels.kind', '=', 'metadata')
      .where('labels.name', '=', 'thread_id')
      .select('labels.value')
      .distinct()
      .limit(limit),
  );
  return rows.map(({ value }) => value);
}

/** A time of a request in microseconds. @throws HttpError 422 */
function micros(value: string | undefined, field: string): number | undefined {
  return value === undefined ? undefined : requireTime(value, ['body', field]);
}
