import { type RawBuilder, sql } from 'kysely';
import type { RunStats, RunsStatsQuery } from '../../../contract/tracing/runs.ts';
import { invalid } from '../../http/errors.ts';
import { isAmong } from '../../storage/is-among.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime } from '../database/time.ts';
import { readSummedFeedbackStats } from '../feedback/feedback-stats.ts';
import { whereRuns } from '../filters/where-runs.ts';
import { findWorkspaceKey } from '../sessions/workspace-keys.ts';

const INTERVAL_MICROS = { minute: 6e7, hour: 3.6e9, day: 8.64e10 };
/** The maximum number of intervals, which is also the highest `max_groups`. */
const MAX_INTERVALS = 1000;

/** The fields of a run that statistics need. */
interface Sample {
  /**
   * The value that the run is grouped by; for an interval, its start in microseconds; for tags, the keys of the
   * run's labels as JSON.
   */
  readonly group: string | number | null;
  readonly id: string;
  readonly trace: number;
  readonly parent_id: string | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly first_token_time: number | null;
  readonly status: string;
  readonly total_tokens: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_cost: number | null;
  readonly prompt_cost: number | null;
  readonly completion_cost: number | null;
}

/**
 * Computes statistics of a query's runs: one set, or one per group. @returns the statistics by group; the only group of
 * an ungrouped query is `''`.
 */
export function runStats(
  context: ReaderContext,
  request: { workspaceId: string; query: RunsStatsQuery },
): Record<string, RunStats> {
  const { db } = context;
  const { query } = request;
  const workspace = findWorkspaceKey(db, request.workspaceId);
  if (workspace === undefined) return query.group_by || query.interval ? {} : { '': statsOf([]) };
  const runs = whereRuns(db, workspace, query).innerJoin('traces', 'traces.key', 'runs.trace');
  // A root has the sums of its trace.
  const sumOr = (column: string) =>
    sql<
      number | null
    >`case when runs.parent_id is null then ${sql.ref(`traces.${column}`)} else ${sql.ref(`runs.${column}`)} end`;
  const rows: Sample[] = db.all(
    runs.select([
      'runs.id',
      'runs.trace',
      'runs.parent_id',
      'runs.start_time',
      'runs.end_time',
      'runs.first_token_time',
      'runs.status',
      groupOf(query).as('group'),
      sumOr('total_tokens').as('total_tokens'),
      sumOr('prompt_tokens').as('prompt_tokens'),
      sumOr('completion_tokens').as('completion_tokens'),
      sumOr('total_cost').as('total_cost'),
      sumOr('prompt_cost').as('prompt_cost'),
      sumOr('completion_cost').as('completion_cost'),
    ]),
  );
  const groups =
    query.group_by?.attribute === 'tag' && !query.interval
      ? byTag(db, rows)
      : Map.groupBy(rows, (row) => groupName(row.group, query));
  if (groups.size === 0 && !query.group_by && !query.interval) groups.set('', []);
  return Object.fromEntries(
    selectGroups(groups, query).map(([name, samples]) => {
      const ids = samples.map(({ id }) => id);
      return [name, { ...statsOf(samples), feedback_stats: readSummedFeedbackStats(db, workspace, ids) }];
    }),
  );
}

/** The groups to return: the latest intervals in order, or else the groups with the most runs. */
function selectGroups(groups: ReadonlyMap<string, Sample[]>, query: RunsStatsQuery): [string, Sample[]][] {
  if (query.interval) {
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-MAX_INTERVALS);
  }
  return [...groups]
    .filter(([name]) => !query.group_by || name !== '')
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, query.group_by?.max_groups ?? 1);
}

/** Groups runs by their tags: a run counts for each of them. @param rows their groups are the keys of their labels */
function byTag(db: ReaderContext['db'], rows: readonly Sample[]): Map<string, Sample[]> {
  const labelled = rows.flatMap((row) =>
    row.group === null ? [] : parseStored<number[]>(String(row.group)).map((key) => ({ key, row })),
  );
  const keys = [...new Set(labelled.map(({ key }) => key))];
  const tags = new Map(
    db
      .all(
        db.build
          .selectFrom('labels')
          .select(['key', 'name'])
          .where('kind', '=', 'tag')
          .where(isAmong('labels.key', keys)),
      )
      .map(({ key, name }) => [key, name]),
  );
  const tagged = labelled.flatMap(({ key, row }) => {
    const tag = tags.get(key);
    return tag === undefined ? [] : [{ tag, row }];
  });
  const groups = Map.groupBy(tagged, ({ tag }) => tag);
  return new Map([...groups].map(([tag, members]) => [tag, members.map(({ row }) => row)]));
}

/** The value by which runs are grouped, in SQL. @throws HttpError 422 for metadata without a key */
function groupOf(query: RunsStatsQuery): RawBuilder<string | number | null> {
  if (query.interval) {
    const width = sql.lit(INTERVAL_MICROS[query.interval]);
    return sql`runs.start_time / ${width} * ${width}`;
  }
  const by = query.group_by;
  if (!by) return sql`''`;
  switch (by.attribute) {
    case 'name':
      return sql`runs.name`;
    case 'run_type':
      return sql`runs.run_type`;
    case 'tag':
      return sql`runs.labels`;
    case 'metadata':
      if (!by.path)
        throw invalid(['body', 'group_by', 'path'], 'The metadata key to group by is required.', 'missing');
      return sql`(select labels.value from json_each(runs.labels) as own join labels on labels.key = cast(own.value as bigint)
        where labels.kind = 'metadata' and labels.name = ${by.path} limit 1)`;
  }
}

function groupName(group: string | number | null, query: RunsStatsQuery): string {
  return query.interval && typeof group === 'number' ? formatTime(group) : String(group ?? '');
}

/** Computes statistics of runs. Times are in seconds; a value is `null` if there is nothing to measure. */
function statsOf(samples: readonly Sample[]): RunStats {
  const latencies = sortNumbers(
    samples.map((s) => (s.end_time === null ? null : (s.end_time - s.start_time) / 1e6)),
  );
  const firstTokens = sortNumbers(
    samples.map((s) => (s.first_token_time === null ? null : (s.first_token_time - s.start_time) / 1e6)),
  );
  const tokens = sortNumbers(samples.map((s) => s.total_tokens));
  const prompt = sortNumbers(samples.map((s) => s.prompt_tokens));
  const completion = sortNumbers(samples.map((s) => s.completion_tokens));
  const costs = sortNumbers(samples.map((s) => s.total_cost));
  // The sums of a root already include its descendants.
  const roots = new Set(samples.flatMap((s) => (s.parent_id === null ? s.trace : [])));
  const summed = samples.filter((s) => s.parent_id === null || !roots.has(s.trace));
  const ended = samples.filter((s) => s.status !== 'pending').length;
  let last = Number.NEGATIVE_INFINITY;
  for (const sample of samples) last = Math.max(last, sample.start_time);
  return {
    run_count: samples.length,
    latency_p50: percentile(latencies, 0.5),
    latency_p99: percentile(latencies, 0.99),
    latency_avg: latencies.length === 0 ? null : sum(latencies) / latencies.length,
    first_token_p50: percentile(firstTokens, 0.5),
    first_token_p99: percentile(firstTokens, 0.99),
    total_tokens: sum(summed.map((s) => s.total_tokens)),
    prompt_tokens: sum(summed.map((s) => s.prompt_tokens)),
    completion_tokens: sum(summed.map((s) => s.completion_tokens)),
    median_tokens: percentile(tokens, 0.5),
    prompt_tokens_p50: percentile(prompt, 0.5),
    completion_tokens_p50: percentile(completion, 0.5),
    tokens_p99: percentile(tokens, 0.99),
    prompt_tokens_p99: percentile(prompt, 0.99),
    completion_tokens_p99: percentile(completion, 0.99),
    last_run_start_time: samples.length === 0 ? null : formatTime(last),
    error_rate: ended === 0 ? null : samples.filter((s) => s.status === 'error').length / ended,
    streaming_rate: samples.length === 0 ? null : firstTokens.length / samples.length,
    // A sum of 0 means that nothing has a price.
    total_cost: sum(summed.map((s) => s.total_cost)) || null,
    prompt_cost: sum(summed.map((s) => s.prompt_cost)) || null,
    completion_cost: sum(summed.map((s) => s.completion_cost)) || null,
    cost_p50: percentile(costs, 0.5),
    cost_p99: percentile(costs, 0.99),
  };
}

function sortNumbers(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null).sort((a, b) => a - b);
}

function sum(values: readonly (number | null)[]): number {
  let total = 0;
  for (const value of values) total += value ?? 0;
  return total;
}

/** A percentile of sorted values, interpolated between the two nearest ranks; null without values. */
function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const rank = share * (values.length - 1);
  const low = values[Math.floor(rank)] ?? 0;
  const high = values[Math.ceil(rank)] ?? low;
  return low + (high - low) * (rank - Math.floor(rank));
}
