import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Example, ExamplesQuery } from '../../../contract/datasets/examples.ts';
import { invalid, notFound } from '../../http/errors.ts';
import { documentContainsText, isLike } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import { parseStored, parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { Condition } from '../database/condition.ts';
import { formatTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { ExampleVersionTable } from '../database/traces-schema.ts';
import { findWorkspaceKey, findWorkspaceKeyOrNone, NO_WORKSPACE } from '../sessions/workspace-keys.ts';
import { type AsOf, heldAt, resolveAsOf } from './as-of.ts';
import type { StoredFiles } from './example-attachments.ts';
import { exampleFilter } from './example-filter.ts';
import { hasAnyEntry } from './has-any-entry.ts';
import { requireDatasetKey } from './require-dataset-key.ts';

type Row = Selectable<ExampleVersionTable>;

/** The conditions of a query for examples. */
export interface ExamplesRequest {
  readonly workspaceId: string;
  readonly query: Partial<ExamplesQuery>;
  /**
   * Metadata of which an example must have at least one entry; requires `as_of` (docs/interface/purging.md#examples).
   */
  readonly anyMetadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A dataset as of a time. */
interface WholeDataset {
  readonly workspaceId: string;
  readonly datasetId: string;
  readonly asOf: string | undefined;
}

/**
 * Converts an example to the form of the public interface. @param context needed for links to attachments, which are
 * left out otherwise.
 */
export function exampleOf(row: Row, datasetId: string, context?: ReaderContext): Example {
  return {
    id: row.id,
    dataset_id: datasetId,
    name: row.name,
    inputs: parseStoredOrNull(row.inputs),
    outputs: parseStoredOrNull(row.outputs),
    metadata: parseStoredOrNull(row.metadata),
    created_at: formatTime(row.created_at),
    modified_at: formatTime(row.from_version),
    source_run_id: row.source_run_id,
    ...(row.deleted === 1 ? { deleted: true } : {}),
    attachment_urls: context === undefined ? null : attachmentUrls(row, context),
  };
}

/** Links to attachments, by `attachment.<name>` as the SDKs expect. The links need no key. */
function attachmentUrls(row: Row, { db, links }: ReaderContext): Record<string, object> | null {
  if (row.attachments === null || links === undefined) return null;
  const type = db.statement('SELECT content_type FROM example_files WHERE key = ?');
  return Object.fromEntries(
    Object.entries(parseStored(row.attachments)).map(([name, key]) => [
      `attachment.${name}`,
      {
        presigned_url: links.link({ kind: 'example', workspace: row.workspace, key, name }),
        mime_type: type.get(key)?.content_type ?? null,
      },
    ]),
  );
}

/**
 * Reads one page of the requested examples, with the selected fields.
 * @throws HttpError 404 for a missing dataset or tag, 422 for a request that would read all datasets, or an
 * invalid filter.
 */
export function listExamples(context: ReaderContext, request: ExamplesRequest): Partial<Example>[] {
  const { db } = context;
  const { query } = request;
  const found = examplesQuery(context, request);
  if (found === undefined) return [];
  let rows = found.selectAll('example_versions').select('datasets.id as dataset_id');
  switch (query.order) {
    case 'random':
      // A seed that is not a number counts as 0.
      rows = rows.orderBy(shuffledBy(Math.trunc(Number(query.random_seed ?? Date.now()) || 0)));
      break;
    case 'id':
      rows = rows.orderBy('example_versions.id', query.descending ? 'desc' : 'asc');
      break;
    case 'recently_created':
      rows = rows.orderBy('example_versions.created_at', query.descending === false ? 'asc' : 'desc');
      break;
    default:
      rows = rows.orderBy('example_versions.from_version', query.descending === false ? 'asc' : 'desc');
  }
  const page = db.all(
    rows
      .orderBy('example_versions.key')
      .limit(query.limit ?? 100)
      .offset(query.offset ?? 0),
  );
  return page.map((row) => pickFields(exampleOf(row, row.dataset_id, context), query.select));
}

/** Counts the requested examples. @throws HttpError 404, 422 as `listExamples` does */
export function countExamples(context: ReaderContext, request: ExamplesRequest): number {
  const found = examplesQuery(context, request);
  if (found === undefined) return 0;
  return context.db.get(found.select((on) => on.fn.countAll<number>().as('n')))?.n ?? 0;
}

/** A number for each example. Sorted by it, examples are in an arbitrary order, the same for the same seed. */
function shuffledBy(seed: number): RawBuilder<number> {
  // Knuth's multiplicative hash of the key, modulo a prime.
  return sql<number>`(example_versions.key * 2654435761 + ${(seed % 1_000_003) * 40_503}) % 1000003`;
}

/**
 * Reads an example as of a time. If it was deleted by then, it is returned with `deleted: true`.
 * @throws HttpError 404; also for an example that was deleted permanently.
 */
export function getExample(
  context: ReaderContext,
  request: { workspaceId: string; exampleId: string; asOf?: string | undefined },
): Example {
  const { db } = context;
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const newest = db
    .statement(
      'SELECT dataset FROM example_versions WHERE id = ? AND workspace = ? ORDER BY key DESC LIMIT 1',
    )
    .get(request.exampleId, workspace);
  const asOf = resolveAsOf(db, newest === undefined ? undefined : Number(newest.dataset), request.asOf);
  const row = db.get(
    versions(db, workspace, asOf)
      .selectAll('example_versions')
      .select('datasets.id as dataset_id')
      .where('example_versions.id', '=', request.exampleId),
  );
  if (row === undefined || (row.deleted === 1 && row.metadata === null)) {
    throw notFound('Example', request.exampleId);
  }
  return exampleOf(row, row.dataset_id, context);
}

/** Reads the examples of a dataset as of a time, in the order in which they were added. @throws HttpError 404 */
export function allExamples(context: ReaderContext, request: WholeDataset): Example[] {
  return allVersions(context, request).map((row) => exampleOf(row, request.datasetId));
}

/** Reads the same as `allExamples`, with the stored attachments. @throws HttpError 404 */
export function examplesToCopy(
  context: ReaderContext,
  request: WholeDataset,
): (Example & { readonly storedFiles: StoredFiles })[] {
  return allVersions(context, request).map((row) => ({
    ...exampleOf(row, request.datasetId),
    storedFiles: row.attachments === null ? {} : parseStored(row.attachments),
  }));
}

function allVersions({ db }: ReaderContext, request: WholeDataset): Row[] {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const dataset = requireDatasetKey(db, workspace, request.datasetId);
  return db.all(
    versions(db, workspace, resolveAsOf(db, dataset, request.asOf))
      .selectAll('example_versions')
      .where('example_versions.dataset', '=', dataset)
      .where('example_versions.deleted', '=', 0)
      .orderBy('example_versions.created_at')
      .orderBy('example_versions.key'),
  );
}

/** Lists the splits of the examples in a dataset at a time, sorted by name. @throws HttpError 404 */
export function listSplits(
  { db }: ReaderContext,
  request: { workspaceId: string; datasetId: string; asOf: string },
): string[] {
  const dataset = requireDatasetKey(db, findWorkspaceKeyOrNone(db, request.workspaceId), request.datasetId);
  const asOf = resolveAsOf(db, dataset, request.asOf);
  const rows = db.all(
    db.build
      .selectFrom('example_versions')
      .select(sql<string>`split.value`.as('split'))
      .innerJoin(sql`json_each(example_versions.metadata, '$.dataset_split')`.as('split'), (join) =>
        join.onTrue(),
      )
      .where('example_versions.dataset', '=', dataset)
      .where('example_versions.deleted', '=', 0)
      .where(heldAt(asOf))
      .distinct(),
  );
  return rows.map((row) => row.split).sort();
}

/** Selects the version of each example as of a time, including deleted ones. */
function versions(db: TracesDatabase, workspace: number, asOf: AsOf) {
  return db.build
    .selectFrom('example_versions')
    .innerJoin('datasets', 'datasets.key', 'example_versions.dataset')
    .where('example_versions.workspace', '=', workspace)
    .where(heldAt(asOf));
}

/**
 * A query for the requested examples.
 * @returns undefined when the workspace has not stored anything yet.
 * @throws HttpError 404, 422 as `listExamples` does
 */
function examplesQuery({ db }: ReaderContext, request: ExamplesRequest) {
  refuseUnbounded(request);
  const { workspaceId, query, anyMetadata } = request;
  const workspace = findWorkspaceKey(db, workspaceId);
  const dataset =
    query.dataset === undefined ? undefined : requireDatasetKey(db, workspace ?? NO_WORKSPACE, query.dataset);
  if (workspace === undefined) return undefined;
  let rows = versions(db, workspace, resolveAsOf(db, dataset, query.as_of));
  if (dataset !== undefined) rows = rows.where('example_versions.dataset', '=', dataset);
  if (query.id !== undefined) rows = rows.where(isAmong('example_versions.id', query.id));
  // Deleted examples are only returned on request, so that experiments do not run them.
  if (query.include_deleted !== true && query.id === undefined)
    rows = rows.where('example_versions.deleted', '=', 0);
  rows = rows.where(sql<boolean>`not (example_versions.deleted = 1 and example_versions.metadata is null)`);
  for (const condition of metadataConditions(query, anyMetadata)) rows = rows.where(condition);
  for (const pattern of wordPatterns(query)) rows = rows.where(contentIsLike(pattern));
  if (query.filter) rows = rows.where(exampleFilter(query.filter));
  return rows;
}

/** Refuses a request that would read the examples of all datasets. @throws HttpError 422 */
function refuseUnbounded({ query, anyMetadata }: ExamplesRequest): void {
  if (anyMetadata !== undefined && query.as_of === undefined) {
    throw invalid(['query', 'as_of'], 'as_of is required.', 'missing');
  }
  if (query.dataset === undefined && query.id === undefined && anyMetadata === undefined && !query.metadata) {
    throw invalid(['query', 'dataset'], 'Specify a dataset, example ids or metadata.', 'missing');
  }
}

function* metadataConditions(
  { metadata, splits = [] }: Partial<ExamplesQuery>,
  anyMetadata: ExamplesRequest['anyMetadata'],
): Generator<Condition> {
  if (metadata) yield documentContainsText('example_versions.metadata', metadata);
  if (anyMetadata !== undefined) yield hasAnyEntry(anyMetadata);
  if (splits.length > 0)
    yield sql<boolean>`exists (select 1 from json_each(example_versions.metadata, '$.dataset_split') as split
      where split.value in (${sql.join(splits)}))`;
}

/** Patterns for `like`. An example must match each of them, in its inputs or its outputs. */
function wordPatterns({ full_text_contains: words = [] }: Partial<ExamplesQuery>): string[] {
  return [words].flat().map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

function contentIsLike(pattern: string): Condition {
  const inputs = isLike(sql.ref('example_versions.inputs'), pattern, '\\');
  const outputs = isLike(sql.ref('example_versions.outputs'), pattern, '\\');
  return sql<boolean>`(${inputs} or ${outputs})`;
}

function pickFields(example: Example, select: readonly string[] | undefined): Partial<Example> {
  if (select === undefined || select.length === 0) return example;
  // The SDKs read these fields regardless of what was selected.
  const wanted = new Set([...select, 'id', 'dataset_id', 'inputs', 'created_at', 'name', 'modified_at']);
  return Object.fromEntries(Object.entries(example).filter(([name]) => wanted.has(name)));
}
