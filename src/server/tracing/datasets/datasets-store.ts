import { type RawBuilder, type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  Dataset,
  DatasetCreate,
  DatasetsQuery,
  DatasetUpdate,
} from '../../../contract/datasets/datasets.ts';
import { conflict, notFound } from '../../http/errors.ts';
import { containsText } from '../../storage/contains-text.ts';
import { documentContainsText, orderNullsLowest } from '../../storage/dialect-expressions.ts';
import { jsonOrNull, parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime, nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { DatasetTable } from '../database/traces-schema.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';
import { unshare } from '../sharing/shares.ts';
import { checkSchema } from './example-schemas.ts';
import { countExamplesEver } from './new-versions.ts';
import { isOfTestPlugin } from './test-plugins.ts';

/**
 * Creates a dataset. Test plugins look for their dataset and then create it, in several processes at once:
 * all of them get the one that was created first (docs/interface/tracing.md#datasets).
 * @throws HttpError 409 when the name or ID is taken, 422 for an invalid schema.
 */
export function createDataset(
  { db, caches }: WriterContext,
  request: { workspaceId: string; dataset: DatasetCreate },
): Dataset {
  const { dataset } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const taken = db
    .statement('SELECT id, name FROM datasets WHERE workspace = ? AND (name = ? OR id = ?)')
    .get(workspace, dataset.name, dataset.id ?? '');
  const metadata = dataset.metadata ?? dataset.extra?.metadata ?? null;
  if (taken?.name === dataset.name && isOfTestPlugin(metadata)) {
    return datasetOf(db, requireDatasetRow(db, workspace, String(taken.id)), request.workspaceId);
  }
  if (taken !== undefined) throw conflict(`Dataset '${String(taken.name)}' already exists.`);
  checkSchema(dataset.inputs_schema_definition, 'inputs_schema_definition');
  checkSchema(dataset.outputs_schema_definition, 'outputs_schema_definition');
  const now = nowMicros();
  const row = {
    workspace,
    id: dataset.id ?? uuidv7(),
    name: dataset.name,
    description: dataset.description ?? null,
    data_type: dataset.data_type ?? 'kv',
    metadata: jsonOrNull(metadata),
    inputs_schema: jsonOrNull(dataset.inputs_schema_definition),
    outputs_schema: jsonOrNull(dataset.outputs_schema_definition),
    transformations: jsonOrNull(dataset.transformations),
    baseline_experiment_id: dataset.baseline_experiment_id ?? null,
    created_at: now,
    modified_at: now,
  };
  const { key } = db.insert(db.build.insertInto('datasets').values(row).returning('key'));
  db.statement('INSERT INTO dataset_versions (dataset, as_of) VALUES (?, ?)').run(key, now);
  return datasetOf(db, { ...row, key }, request.workspaceId);
}

/** Changes the given fields. @throws HttpError 404, 409 for an existing name, 422 for an invalid schema. */
export function updateDataset(
  { db, caches }: WriterContext,
  request: { workspaceId: string; datasetId: string; changes: DatasetUpdate },
): Dataset {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const row = requireDatasetRow(db, workspace, request.datasetId);
  const { changes } = request;
  if (changes.name && changes.name !== row.name) {
    const taken = db
      .statement('SELECT 1 FROM datasets WHERE workspace = ? AND name = ?')
      .get(workspace, changes.name);
    if (taken !== undefined) throw conflict(`Dataset '${changes.name}' already exists.`);
  }
  checkSchema(changes.inputs_schema_definition, 'inputs_schema_definition');
  checkSchema(changes.outputs_schema_definition, 'outputs_schema_definition');
  const updated = {
    ...row,
    name: changes.name ?? row.name,
    description: changes.description === undefined ? row.description : changes.description,
    metadata: changes.metadata === undefined ? row.metadata : jsonOrNull(changes.metadata),
    inputs_schema:
      changes.inputs_schema_definition === undefined
        ? row.inputs_schema
        : jsonOrNull(changes.inputs_schema_definition),
    outputs_schema:
      changes.outputs_schema_definition === undefined
        ? row.outputs_schema
        : jsonOrNull(changes.outputs_schema_definition),
    transformations:
      changes.transformations === undefined ? row.transformations : jsonOrNull(changes.transformations),
    baseline_experiment_id:
      changes.baseline_experiment_id === undefined
        ? row.baseline_experiment_id
        : changes.baseline_experiment_id,
    modified_at: nowMicros(),
  };
  const { key, ...columns } = updated;
  db.run(db.build.updateTable('datasets').set(columns).where('key', '=', key));
  return datasetOf(db, updated, request.workspaceId);
}

/**
 * Deletes a dataset with all versions of its examples. @returns the ID of the job that removes the rest from disk.
 * @throws HttpError 404
 */
export function deleteDataset(
  context: WriterContext,
  request: { workspaceId: string; by: string | null; datasetId: string },
): { jobId: string } {
  const { db, caches } = context;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const { key } = requireDatasetRow(db, workspace, request.datasetId);
  const examples = countExamplesEver(db, key);
  // An example that was moved to another dataset keeps the files that its versions there refer to.
  db.statement(
    `DELETE FROM example_files WHERE workspace = ?1
       AND example IN (SELECT id FROM example_versions WHERE dataset = ?2)
       AND NOT EXISTS (SELECT 1 FROM example_versions AS elsewhere, json_each(elsewhere.attachments) AS file
         WHERE elsewhere.id = example_files.example AND elsewhere.workspace = ?1 AND elsewhere.dataset <> ?2
           AND CAST(file.value AS BIGINT) = example_files.key)`,
  ).run(workspace, key);
  for (const table of ['example_versions', 'dataset_versions', 'dataset_tags'] as const) {
    db.statement(`DELETE FROM ${table} WHERE dataset = ?`).run(key);
  }
  unshare(db, workspace, 'dataset', request.datasetId);
  db.statement('DELETE FROM comparisons WHERE dataset = ? AND workspace = ?').run(
    request.datasetId,
    workspace,
  );
  db.statement('DELETE FROM datasets WHERE key = ?').run(key);
  const filter = { dataset_id: request.datasetId, dataset: key };
  const job = { workspace, kind: 'dataset', filter, by: request.by, atOnce: true, examples } as const;
  return { jobId: context.queuePurge(job) };
}

/** Columns of a dataset that are counted or computed, for queries of `datasets`; times are in microseconds. */
const COUNTED = {
  example_count: sql<number>`(SELECT count(*) FROM example_versions
    WHERE dataset = datasets.key AND to_version IS NULL AND deleted = 0)`,
  session_count: sql<number>`(SELECT count(*) FROM sessions
    WHERE reference_dataset_id = datasets.id AND sessions.workspace = datasets.workspace)`,
  last_session_start_time: sql<number | null>`(SELECT max(start_time) FROM sessions
    WHERE reference_dataset_id = datasets.id AND sessions.workspace = datasets.workspace)`,
};

const SORT_KEYS: Readonly<Record<DatasetsQuery['sort_by'], RawBuilder<unknown>>> = {
  ...COUNTED,
  name: sql.ref('name'),
  created_at: sql.ref('created_at'),
  modified_at: sql.ref('modified_at'),
};

/** Reads one page of the datasets that match a query. */
export function listDatasets(
  { db }: ReaderContext,
  request: { workspaceId: string; query: DatasetsQuery },
): Dataset[] {
  const { query } = request;
  let rows = db.build
    .selectFrom('datasets')
    .selectAll()
    .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId));
  if (query.id !== undefined) rows = rows.where('id', 'in', query.id);
  if (query.name !== undefined) rows = rows.where('name', '=', query.name);
  if (query.name_contains !== undefined) rows = rows.where(containsText('name', query.name_contains));
  if (query.data_type !== undefined) rows = rows.where('data_type', 'in', query.data_type);
  if (query.metadata) rows = rows.where(documentContainsText('metadata', query.metadata));
  const direction = query.sort_by_desc ? 'desc' : 'asc';
  return db
    .all(
      rows
        .orderBy(SORT_KEYS[query.sort_by], orderNullsLowest(direction))
        .orderBy('key', direction)
        .limit(query.limit)
        .offset(query.offset),
    )
    .map((row) => datasetOf(db, row, request.workspaceId));
}

/** Reads a dataset. @throws HttpError 404 */
export function getDataset(
  { db }: ReaderContext,
  request: { workspaceId: string; datasetId: string },
): Dataset {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  return datasetOf(db, requireDatasetRow(db, workspace, request.datasetId), request.workspaceId);
}

/** Finds the row of a dataset. @throws HttpError 404 */
function requireDatasetRow(db: TracesDatabase, workspace: number, id: string): Selectable<DatasetTable> {
  const row = db.get(
    db.build.selectFrom('datasets').selectAll().where('workspace', '=', workspace).where('id', '=', id),
  );
  if (row === undefined) throw notFound('Dataset', id);
  return row;
}

function datasetOf(db: TracesDatabase, row: Selectable<DatasetTable>, workspaceId: string): Dataset {
  const counted = db.get(
    db.build
      .selectFrom('datasets')
      .select([
        COUNTED.example_count.as('examples'),
        COUNTED.session_count.as('sessions'),
        COUNTED.last_session_start_time.as('last'),
      ])
      .where('key', '=', row.key),
  );
  return {
    id: row.id,
    tenant_id: workspaceId,
    name: row.name,
    description: row.description,
    data_type: row.data_type,
    metadata: parseStoredOrNull(row.metadata),
    inputs_schema_definition: parseStoredOrNull(row.inputs_schema),
    outputs_schema_definition: parseStoredOrNull(row.outputs_schema),
    transformations: parseStoredOrNull(row.transformations),
    baseline_experiment_id: row.baseline_experiment_id,
    externally_managed: false,
    example_count: Number(counted?.examples ?? 0),
    session_count: Number(counted?.sessions ?? 0),
    last_session_start_time: counted?.last ? formatTime(Number(counted.last)) : null,
    created_at: formatTime(row.created_at),
    modified_at: formatTime(row.modified_at),
  };
}
