import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Comparison, ComparisonCreate } from '../../../contract/datasets/comparisons.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { parseStored, parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime, nowMicros, parseStorableTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { ComparisonTable } from '../database/traces-schema.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';
import { requireDatasetKey } from './require-dataset-key.ts';

/** Creates a comparison. @throws HttpError 404 for a missing dataset or experiment, 409 for an existing ID. */
export function createComparison(
  { db, caches }: WriterContext,
  request: { workspaceId: string; comparison: ComparisonCreate },
): Comparison {
  const { comparison } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  requireDatasetKey(db, workspace, comparison.reference_dataset_id);
  const known = db.statement('SELECT 1 FROM sessions WHERE workspace = ? AND id = ?');
  for (const id of comparison.experiment_ids) {
    if (known.get(workspace, id) === undefined) throw notFound('Project', id);
  }
  const id = comparison.id ?? uuidv7();
  const taken = db.statement('SELECT 1 FROM comparisons WHERE id = ? AND workspace = ?').get(id, workspace);
  if (taken !== undefined) throw conflict(`Comparison '${id}' already exists.`);
  const now = nowMicros();
  const row = {
    workspace,
    id,
    dataset: comparison.reference_dataset_id,
    name: comparison.name ?? null,
    description: comparison.description ?? null,
    experiments: JSON.stringify(comparison.experiment_ids),
    extra: comparison.extra ? JSON.stringify(comparison.extra) : null,
    created_at: comparison.created_at
      ? parseStorableTime(comparison.created_at, ['body', 'created_at'])
      : now,
    modified_at: now,
  };
  const { key } = db.insert(db.build.insertInto('comparisons').values(row).returning('key'));
  return comparisonOf(db, { ...row, key }, request.workspaceId);
}

/** Deletes a comparison; the experiments stay. @throws HttpError 404 */
export function deleteComparison(
  { db, caches }: WriterContext,
  request: { workspaceId: string; comparisonId: string },
): void {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const { changes } = db
    .statement('DELETE FROM comparisons WHERE id = ? AND workspace = ?')
    .run(request.comparisonId, workspace);
  if (Number(changes) === 0) throw notFound('Comparison', request.comparisonId);
}

/** Lists the comparisons on a dataset, latest first. @throws HttpError 404 for a missing dataset. */
export function listComparisons(
  { db }: ReaderContext,
  request: {
    workspaceId: string;
    datasetId: string;
    id?: readonly string[] | undefined;
    name?: string | undefined;
    limit: number;
    offset: number;
  },
): Comparison[] {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  requireDatasetKey(db, workspace, request.datasetId);
  let rows = db.build
    .selectFrom('comparisons')
    .selectAll()
    .where('workspace', '=', workspace)
    .where('dataset', '=', request.datasetId);
  if (request.id !== undefined) rows = rows.where('id', 'in', [...request.id]);
  if (request.name !== undefined) rows = rows.where('name', '=', request.name);
  return db
    .all(
      rows.orderBy('created_at', 'desc').orderBy('key', 'desc').limit(request.limit).offset(request.offset),
    )
    .map((row) => comparisonOf(db, row, request.workspaceId));
}

function comparisonOf(db: TracesDatabase, row: Selectable<ComparisonTable>, workspaceId: string): Comparison {
  const name = db.statement('SELECT name FROM sessions WHERE workspace = ? AND id = ?');
  const ids = parseStored(row.experiments);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    tenant_id: workspaceId,
    reference_dataset_id: row.dataset,
    created_at: formatTime(row.created_at),
    modified_at: formatTime(row.modified_at),
    extra: parseStoredOrNull(row.extra),
    // Experiments that have been deleted since the comparison was created are left out.
    experiments_info: ids.flatMap((id) => {
      const found = name.get(row.workspace, id);
      return found === undefined ? [] : [{ id, name: String(found.name) }];
    }),
  };
}
