import { sql } from 'kysely';
import { labelValue } from '../ingestion/labels.ts';
import { compareWith } from './compare-field.ts';
import type { Comparison, Condition, FilterScope } from './compile-filter.ts';
import { FilterError, type Literal } from './filter-language.ts';

/** Up to here the runs of a label are looked up; beyond, runs are walked in time and asked for the label. */
const FEW_RUNS = 2000;

export function isMetadataField(field: string): boolean {
  return (
    field === 'metadata_key' || field === 'metadata_value' || field === 'metadata' || field === 'thread_id'
  );
}

/** Runs that carry a metadata entry which all of the comparisons hold for. @throws FilterError */
export function metadataCondition(
  group: readonly Comparison[],
  alias: string,
  scope: FilterScope,
): Condition {
  const [first] = group;
  if (first?.field === 'thread_id') return threadCondition(first, alias, scope);
  if (first?.field === 'metadata') return containsCondition(first, alias, scope);
  const conditions = group.map((comparison) =>
    compareWith(
      sql.ref(comparison.field === 'metadata_key' ? 'labels.name' : 'labels.value'),
      comparison,
      text,
    ),
  );
  return labelled(sql<boolean>`${sql.join(conditions, sql` and `)}`, 'metadata', alias, scope);
}

/** `has(tags, "x")`. @throws FilterError */
export function tagCondition(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { op, value, at } = comparison;
  if (op !== 'has' && op !== 'eq' && op !== 'in') throw new FilterError('ask has(tags, "…")', at);
  const names = (Array.isArray(value) ? value : [value]).map(String);
  return labelled(sql<boolean>`labels.name in (${sql.join(names)})`, 'tag', alias, scope);
}

/** The names under which clients say which conversation a run belongs to. */
export const THREAD_KEYS = ['session_id', 'thread_id', 'conversation_id'];

function threadCondition({ value }: Comparison, alias: string, scope: FilterScope): Condition {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  return labelled(
    sql<boolean>`labels.name in (${sql.join(THREAD_KEYS)}) and labels.value in (${sql.join(values)})`,
    'metadata',
    alias,
    scope,
  );
}

/** `has(metadata, '{"key": "value"}')`: all of the entries. */
function containsCondition({ value, at }: Comparison, alias: string, scope: FilterScope): Condition {
  const entries = typeof value === 'string' ? parseObject(value) : undefined;
  if (entries === undefined) throw new FilterError('ask has(metadata, \'{"key": "value"}\')', at);
  const conditions = entries.map(([name, entry]) =>
    labelled(
      sql<boolean>`labels.name = ${name} and labels.value = ${labelValue(entry) ?? ''}`,
      'metadata',
      alias,
      scope,
    ),
  );
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** Runs with any of the labels that a condition holds for. */
export function labelled(
  condition: Condition,
  kind: 'metadata' | 'tag',
  alias: string,
  { db, workspace, sessions }: FilterScope,
): Condition {
  const inScope =
    sessions === undefined
      ? sql`labels.session in (select key from sessions where workspace = ${workspace})`
      : sql`labels.session in (${sessions.length === 0 ? sql`-1` : sql.join([...sessions])})`;
  const labels = db
    .all(
      db.build
        .selectFrom('labels')
        .select('key')
        .where('kind', '=', kind)
        .where(inScope as Condition)
        .where(condition)
        .limit(FEW_RUNS),
    )
    .map((row) => row.key);
  if (labels.length === 0) return sql<boolean>`0`;
  const run = sql.ref(`${alias}.key`);
  const keys = sql.join(labels.map((key) => sql.lit(key)));
  return isFew(db, labels)
    ? sql<boolean>`${run} in (select run from run_labels where label in (${keys}))`
    : sql<boolean>`exists (select 1 from run_labels where label in (${keys}) and run = ${run})`;
}

function isFew(db: FilterScope['db'], labels: readonly number[]): boolean {
  const row = db.sqlite
    .prepare(
      `SELECT count(*) AS found FROM (SELECT 1 FROM run_labels WHERE label IN (${labels.join(',')}) LIMIT ${FEW_RUNS})`,
    )
    .get();
  return Number(row?.found ?? 0) < FEW_RUNS;
}

function text(literal: Literal): Literal {
  return literal === null ? null : String(literal);
}

function parseObject(json: string): [string, unknown][] | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const entries = Object.entries(parsed);
    return entries.length === 0 ? undefined : entries;
  } catch {
    return undefined;
  }
}
