import { sql } from 'kysely';
import { textAsNumber } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { Condition } from '../database/condition.ts';
import { labelValue } from '../runs/labels.ts';
import { compareWith } from './compare-field.ts';
import { FilterError } from './filter-language.ts';
import type { Comparison, FilterScope } from './filter-scope.ts';
import { amongFound, type FoundRuns, newestOf } from './index-lookup.ts';

/** At most this many labels are looked up; with more, each run is checked for a matching label. */
const MAX_LABELS = 2000;
/** Up to this many labels, the newest runs of each are merged. */
const FEW_LABELS = 20;

export function isMetadataField(field: string): boolean {
  return (
    field === 'metadata_key' || field === 'metadata_value' || field === 'metadata' || field === 'thread_id'
  );
}

/** The condition for runs with a metadata entry that matches all of the comparisons. @throws FilterError */
export function metadataCondition(
  group: readonly Comparison[],
  alias: string,
  scope: FilterScope,
): Condition {
  const [first] = group;
  if (first?.field === 'thread_id') return threadCondition(first, alias, scope);
  if (first?.field === 'metadata') return containsCondition(first, alias, scope);
  const conditions = group.map((comparison) =>
    isNumeric(comparison)
      ? // Metadata is stored as text, and as text, 9 comes after 10.
        compareWith(textAsNumber('labels.value'), comparison)
      : compareWith(
          sql.ref(comparison.field === 'metadata_key' ? 'labels.name' : 'labels.value'),
          comparison,
          (literal) => (literal === null ? null : (labelValue(literal) ?? '')),
        ),
  );
  return compileLabelCondition(sql<boolean>`${sql.join(conditions, sql` and `)}`, 'metadata', alias, scope);
}

function isNumeric({ field, op, value }: Comparison): boolean {
  return field === 'metadata_value' && typeof value === 'number' && ['gt', 'gte', 'lt', 'lte'].includes(op);
}

/** Compiles `has(tags, "x")`. @throws FilterError */
export function tagCondition(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { op, value, at } = comparison;
  if (op === 'neq') {
    const has = tagCondition({ ...comparison, op: 'has' }, alias, { ...scope, lookup: undefined });
    return sql<boolean>`not coalesce(${has}, false)`;
  }
  if (op !== 'has' && op !== 'eq' && op !== 'in') throw new FilterError('use has(tags, "…")', at);
  const names = (Array.isArray(value) ? value : [value]).map(String);
  return compileLabelCondition(sql<boolean>`${isAmong('labels.name', names)}`, 'tag', alias, scope);
}

/** The metadata keys with which clients identify the conversation of a run. */
export const THREAD_KEYS = ['session_id', 'thread_id', 'conversation_id'];

function threadCondition({ value }: Comparison, alias: string, scope: FilterScope): Condition {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  return compileLabelCondition(
    sql<boolean>`labels.name in (${sql.join(THREAD_KEYS)}) and ${isAmong('labels.value', values)}`,
    'metadata',
    alias,
    scope,
  );
}

/** Compiles `has(metadata, '{"key": "value"}')`, for runs with all of the entries. */
function containsCondition({ value, at }: Comparison, alias: string, scope: FilterScope): Condition {
  const entries = typeof value === 'string' ? parseObject(value) : undefined;
  if (entries === undefined) throw new FilterError('use has(metadata, \'{"key": "value"}\')', at);
  const conditions = entries.map(([name, entry]) =>
    compileLabelCondition(
      sql<boolean>`labels.name = ${name} and labels.value = ${labelValue(entry) ?? ''}`,
      'metadata',
      alias,
      scope,
    ),
  );
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** The condition for runs with any of the labels that match a condition. */
export function compileLabelCondition(
  condition: Condition,
  kind: 'metadata' | 'tag',
  alias: string,
  { db, workspace, sessions, lookup }: FilterScope,
): Condition {
  const inScope =
    sessions === undefined
      ? sql<boolean>`labels.session in (select key from sessions where workspace = ${workspace})`
      : isAmong('labels.session', sessions);
  const holds = sql<boolean>`labels.kind = ${kind} and ${inScope} and ${condition}`;
  const labels = db
    .all(
      db.build
        .selectFrom('labels')
        .select('key')
        .where(holds)
        .limit(MAX_LABELS + 1),
    )
    .map((row) => row.key);
  const run = (column: string) => sql.ref(`${alias}.${column}`);
  if (labels.length > MAX_LABELS) {
    return sql<boolean>`exists (select 1 from json_each(${run('labels')}) as own
      cross join labels where labels.key = cast(own.value as bigint) and ${holds})`;
  }
  const keys = sql.join(labels.map((key) => sql.lit(key)));
  const each = () =>
    sql<boolean>`exists (select 1 from run_labels where label in (${keys}) and run = ${run('key')})`;
  return amongFound(alias, lookup, (limit) => findRuns(db, labels, limit), each);
}

/**
 * Finds the newest runs with any of the labels; `undefined` when merging the labels' runs would cost more than checking
 * each run.
 */
function findRuns(db: FilterScope['db'], labels: readonly number[], limit: number): FoundRuns | undefined {
  const runs = (where: string, order: string) =>
    db
      .statement(`SELECT run FROM run_labels WHERE label ${where} ${order} LIMIT ${limit + 1}`)
      .all()
      .map(({ run }) => Number(run));
  if (labels.length <= FEW_LABELS) {
    return newestOf(
      labels.flatMap((label) => runs(`= ${label}`, 'ORDER BY run DESC')),
      limit,
    );
  }
  const some = newestOf(runs(`IN (${labels.join(',')})`, ''), limit);
  return some.isAll ? some : undefined;
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
