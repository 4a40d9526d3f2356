import type { Selectable } from 'kysely';
import { isAmong } from '../../storage/is-among.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { FeedbackTable } from '../database/traces-schema.ts';

/** How many comments are shown with the statistics of a key. */
const MAX_COMMENTS = 5;

/** Statistics of the feedback under one key. The numbers are null without scores. */
export interface KeyStats {
  readonly n: number;
  readonly avg: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** The population standard deviation. */
  readonly stdev: number | null;
  /** Always 0, because feedback has no errors here; clients of the public service expect the field. */
  readonly errors: number;
  /** How often each text was given as the value. */
  readonly values: Record<string, number>;
  readonly comments: readonly string[];
  /** The different sources, as JSON text. */
  readonly sources: readonly string[];
}

type FeedbackRow = Pick<Selectable<FeedbackTable>, 'name' | 'score' | 'value' | 'comment' | 'source'>;

/** Reads the feedback on runs, and summarizes it by run and key. Runs without feedback are left out. */
export function readFeedbackStats(
  db: TracesDatabase,
  workspace: number,
  runIds: readonly string[],
): Map<string, Record<string, KeyStats>> {
  const byRun = Map.groupBy(readFeedbackOn(db, workspace, runIds), ({ run_id }) => run_id ?? '');
  return new Map([...byRun].map(([run, rows]) => [run, statsByKey(rows)]));
}

/** Reads the feedback on runs, and summarizes it by key; null if there is none. */
export function readSummedFeedbackStats(
  db: TracesDatabase,
  workspace: number,
  runIds: readonly string[],
): Record<string, KeyStats> | null {
  const rows = readFeedbackOn(db, workspace, runIds);
  return rows.length === 0 ? null : statsByKey(rows);
}

function readFeedbackOn(db: TracesDatabase, workspace: number, runIds: readonly string[]) {
  if (runIds.length === 0) return [];
  return db.all(
    db.build
      .selectFrom('feedback')
      .select(['run_id', 'name', 'score', 'value', 'comment', 'source'])
      .where(isAmong('run_id', runIds))
      .where('workspace', '=', workspace)
      // The preference between two runs says nothing about a single run.
      .where('comparative_experiment_id', 'is', null)
      .orderBy('key'),
  );
}

/** Summarizes feedback by key. Clients choose keys and values, so they may also be names such as `__proto__`. */
export function statsByKey(rows: readonly FeedbackRow[]): Record<string, KeyStats> {
  const byKey = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries([...byKey].map(([key, ofKey]) => [key, statsOf(ofKey)]));
}

function statsOf(rows: readonly FeedbackRow[]): KeyStats {
  const values = rows.flatMap(({ value }) => textsIn(value));
  const counts = [...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length]);
  return {
    n: rows.length,
    ...scoreStats(rows.flatMap(({ score }) => score ?? [])),
    errors: 0,
    values: Object.fromEntries(counts),
    comments: rows.flatMap(({ comment }) => comment ?? []).slice(0, MAX_COMMENTS),
    sources: [...new Set(rows.flatMap(({ source }) => source ?? []))],
  };
}

/** The value of feedback if it is a text; none for other values. */
function textsIn(value: string | null): string[] {
  const parsed: unknown = value === null ? null : JSON.parse(value);
  return typeof parsed === 'string' ? [parsed] : [];
}

function scoreStats(scores: readonly number[]): Pick<KeyStats, 'avg' | 'min' | 'max' | 'stdev'> {
  if (scores.length === 0) return { avg: null, min: null, max: null, stdev: null };
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return {
    avg: mean,
    // `Math.min(...scores)` would overflow the stack for very many scores.
    min: scores.reduce((least, score) => Math.min(least, score)),
    max: scores.reduce((most, score) => Math.max(most, score)),
    stdev: Math.sqrt(squares / scores.length),
  };
}
