import { sql } from 'kysely';
import { isObject } from '../../../process/objects.ts';
import { textAsNumber } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import { type Condition, notTrue } from '../database/condition.ts';
import { labelValue } from '../runs/labels.ts';
import { compareWith } from './compare-with.ts';
import { type Comparison, FilterError } from './filter-language.ts';
import type { FilterScope } from './filter-scope.ts';
import { amongFound, type FoundRuns, newestOf } from './index-lookup.ts';

/** At most this many labels are looked up; with more, each run is checked for a matching label. */
const MAX_LABELS = 2000;
/** Up to this many labels, the newest runs of each are looked up and merged. */
const MAX_MERGED_LABELS = 20;

/** Whether a field is a part of a metadata entry: its key or its value. */
export function isEntryField(field: string): boolean {
  return field === 'metadata_key' || field === 'metadata_value';
}

/**
 * The condition for runs with a metadata entry that matches all comparisons of its key and its value.
 * @throws FilterError
 */
export function entryCondition(
  comparisons: readonly Comparison[],
  alias: string,
  scope: FilterScope,
): Condition {
  const conditions = comparisons.map((comparison) =>
    isNumeric(comparison)
      ? // Metadata is stored as text, and as text, 9 comes after 10.
        compareWith(textAsNumber('labels.value'), comparison)
      : compareWith(
          sql.ref(comparison.field === 'metadata_key' ? 'labels.name' : 'labels.value'),
          comparison,
          (literal) => (literal === null ? null : (labelValue(literal) ?? '')),
        ),
  );
  return labelCondition(sql<boolean>`${sql.join(conditions, sql` and `)}`, 'metadata', alias, scope);
}

function isNumeric({ field, op, value }: Comparison): boolean {
  return field === 'metadata_value' && typeof value === 'number' && ['gt', 'gte', 'lt', 'lte'].includes(op);
}

/** Compiles `has(tags, "x")`. @throws FilterError */
export function tagCondition(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { op, value, at } = comparison;
  if (op === 'neq') {
    return notTrue(tagCondition({ ...comparison, op: 'has' }, alias, { ...scope, lookup: undefined }));
  }
  if (op !== 'has' && op !== 'eq' && op !== 'in') throw new FilterError('use has(tags, "…")', at);
  return labelCondition(isAmong('labels.name', textsOf(value)), 'tag', alias, scope);
}

/** The metadata keys with which clients identify the conversation of a run. */
export const THREAD_KEYS = ['session_id', 'thread_id', 'conversation_id'];

/** Compiles `eq(thread_id, "t1")`, for the runs of a conversation. @throws FilterError for other operators */
export function threadCondition(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { op, value, at } = comparison;
  const hasThread = (where: FilterScope) =>
    labelCondition(sql<boolean>`labels.name in (${sql.join(THREAD_KEYS)})`, 'metadata', alias, where);
  const outside = { ...scope, lookup: undefined };
  if (op === 'exists' || (op === 'neq' && value === null)) return hasThread(scope);
  if (op === 'eq' && value === null) return notTrue(hasThread(outside));
  if (op === 'neq') return notTrue(threadCondition({ ...comparison, op: 'in' }, alias, outside));
  if (op !== 'eq' && op !== 'in') throw new FilterError('use eq(thread_id, "…")', at);
  return labelCondition(
    sql<boolean>`labels.name in (${sql.join(THREAD_KEYS)}) and ${isAmong('labels.value', textsOf(value))}`,
    'metadata',
    alias,
    scope,
  );
}

/** The values of a comparison as texts: one, or those of a list. */
function textsOf(value: Comparison['value']): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

/**
 * Compiles `has(metadata, '{"key": "value"}')`, for runs with all of the entries.
 * @throws FilterError for other operators and values
 */
export function metadataCondition(comparison: Comparison, alias: string, scope: FilterScope): Condition {
  const { op, value, at } = comparison;
  if (op === 'neq') {
    return notTrue(metadataCondition({ ...comparison, op: 'has' }, alias, { ...scope, lookup: undefined }));
  }
  const entries = typeof value === 'string' ? parseObject(value) : undefined;
  if ((op !== 'has' && op !== 'eq') || entries === undefined) {
    throw new FilterError('use has(metadata, \'{"key": "value"}\')', at);
  }
  const conditions = entries.map(([name, entry]) => {
    const label = labelValue(entry);
    if (label === undefined)
      throw new FilterError(`the value of ${name} must be a text, number or boolean`, at);
    return labelCondition(
      sql<boolean>`labels.name = ${name} and labels.value = ${label}`,
      'metadata',
      alias,
      scope,
    );
  });
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** The condition for runs with any of the labels that match a condition. The labels are looked up now. */
function labelCondition(
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
  const hasLabel = () =>
    sql<boolean>`exists (select 1 from run_labels where label in (${keys}) and run = ${run('key')})`;
  return amongFound(alias, lookup, (limit) => findRuns(db, labels, limit), hasLabel);
}

/**
 * Finds the newest runs with any of the labels; `undefined` when merging the labels' runs would cost more than checking
 * each run.
 */
function findRuns(db: FilterScope['db'], labels: readonly number[], limit: number): FoundRuns | undefined {
  const runs = (where: string, order: string) =>
    db
      .statement(`SELECT DISTINCT run FROM run_labels WHERE label ${where} ${order} LIMIT ${limit + 1}`)
      .all()
      .map(({ run }) => Number(run));
  if (labels.length <= MAX_MERGED_LABELS) {
    return newestOf(
      labels.flatMap((label) => runs(`= ${label}`, 'ORDER BY run DESC')),
      limit,
    );
  }
  const some = newestOf(runs(`IN (${labels.join(',')})`, ''), limit);
  return some.isAll ? some : undefined;
}

/** The members of a JSON object; undefined for anything else, and for an empty object. */
function parseObject(json: string): [string, unknown][] | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    if (!isObject(parsed)) return undefined;
    const entries = Object.entries(parsed);
    return entries.length === 0 ? undefined : entries;
  } catch {
    return undefined;
  }
}
