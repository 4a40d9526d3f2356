import type { DatasetVersion } from '../../../contract/datasets/datasets.ts';
import { HttpError } from '../../http/errors.ts';
import { containsText } from '../../storage/contains-text.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';
import { type AsOf, heldAt, resolveAsOf } from './as-of.ts';
import { requireDatasetKey } from './require-dataset-key.ts';

/** Lists the versions of a dataset, newest first. @throws HttpError 404 */
export function listVersions(
  { db }: ReaderContext,
  request: {
    workspaceId: string;
    datasetId: string;
    example?: string | undefined;
    search?: string | undefined;
    limit: number;
    offset: number;
  },
): DatasetVersion[] {
  const dataset = requireDatasetKey(db, findWorkspaceKeyOrNone(db, request.workspaceId), request.datasetId);
  let rows = db.build.selectFrom('dataset_versions').select('as_of').where('dataset', '=', dataset);
  const { example, search } = request;
  if (example !== undefined) {
    rows = rows.where('as_of', 'in', (query) =>
      query
        .selectFrom('example_versions')
        .select('from_version')
        .where('dataset', '=', dataset)
        .where('id', '=', example),
    );
  }
  if (search !== undefined) {
    rows = rows.where('as_of', 'in', (query) =>
      query
        .selectFrom('dataset_tags')
        .select('as_of')
        .where('dataset', '=', dataset)
        .where(containsText('tag', search)),
    );
  }
  return db
    .all(rows.orderBy('as_of', 'desc').limit(request.limit).offset(request.offset))
    .map(({ as_of }) => versionOf(db, dataset, as_of));
}

/** Returns the version at a time or with a tag. @throws HttpError 404 */
export function getVersion(
  { db }: ReaderContext,
  request: { workspaceId: string; datasetId: string; asOf: string | undefined },
): DatasetVersion {
  const dataset = requireDatasetKey(db, findWorkspaceKeyOrNone(db, request.workspaceId), request.datasetId);
  const asOf = resolveAsOf(db, dataset, request.asOf);
  return versionOf(db, dataset, versionAt(db, dataset, asOf));
}

/** Moves a tag to the version at a time or with another tag. @throws HttpError 404 */
export function tagVersion(
  { db, caches }: WriterContext,
  request: { workspaceId: string; datasetId: string; asOf: string; tag: string },
): DatasetVersion {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const dataset = requireDatasetKey(db, workspace, request.datasetId);
  const asOf = resolveAsOf(db, dataset, request.asOf);
  const version = versionAt(db, dataset, asOf);
  db.statement(
    'INSERT INTO dataset_tags (dataset, tag, as_of) VALUES (?, ?, ?) ON CONFLICT (dataset, tag) DO UPDATE SET as_of = excluded.as_of',
  ).run(dataset, request.tag, version);
  return versionOf(db, dataset, version);
}

/** Returns the differences between two versions. @throws HttpError 404 */
export function diffVersions(
  { db }: ReaderContext,
  request: { workspaceId: string; datasetId: string; from: string; to: string },
): { examples_added: string[]; examples_modified: string[]; examples_removed: string[] } {
  const dataset = requireDatasetKey(db, findWorkspaceKeyOrNone(db, request.workspaceId), request.datasetId);
  const at = (text: string) =>
    new Map(
      db
        .all(
          db.build
            .selectFrom('example_versions')
            .select(['id', 'key'])
            .where('dataset', '=', dataset)
            .where('deleted', '=', 0)
            .where(heldAt(resolveAsOf(db, dataset, text))),
        )
        .map((row) => [row.id, row.key]),
    );
  const [from, to] = [at(request.from), at(request.to)];
  return {
    examples_added: [...to.keys()].filter((id) => !from.has(id)),
    examples_modified: [...to].filter(([id, key]) => from.has(id) && from.get(id) !== key).map(([id]) => id),
    examples_removed: [...from.keys()].filter((id) => !to.has(id)),
  };
}

/** The version that was the newest at a time. @returns its time in microseconds. @throws HttpError 404 */
function versionAt(db: TracesDatabase, dataset: number, asOf: AsOf): number {
  const row = db
    .statement('SELECT max(as_of) AS as_of FROM dataset_versions WHERE dataset = ? AND as_of <= ?')
    .get(dataset, asOf === 'latest' ? Number.MAX_SAFE_INTEGER : asOf);
  if (row?.as_of === null || row === undefined) {
    throw new HttpError(404, 'The dataset had no version at that time.');
  }
  return Number(row.as_of);
}

function versionOf(db: TracesDatabase, dataset: number, asOf: number): DatasetVersion {
  const tags = db
    .statement('SELECT tag FROM dataset_tags WHERE dataset = ? AND as_of = ? ORDER BY tag')
    .all(dataset, asOf)
    .map((row) => String(row.tag));
  const newest = db
    .statement('SELECT max(as_of) AS last FROM dataset_versions WHERE dataset = ?')
    .get(dataset);
  if (Number(newest?.last) === asOf) tags.unshift('latest');
  return { as_of: formatTime(asOf), tags };
}
