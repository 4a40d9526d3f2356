import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  IndexedName,
  JsonObject,
  QueryBoolean,
  QueryJsonObject,
  QueryList,
  queryPaging,
  Uuid,
} from '../fields.ts';

export const DataType = z.enum(['kv', 'llm', 'chat']);

export const Dataset = z.looseObject({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  data_type: z.string().nullish(),
  example_count: z.int().nullish(),
  session_count: z.int().nullish(),
  metadata: JsonObject.nullish(),
  inputs_schema_definition: JsonObject.nullish(),
  outputs_schema_definition: JsonObject.nullish(),
  created_at: z.string(),
  modified_at: z.string(),
});
export type Dataset = z.output<typeof Dataset>;

const fields = {
  description: z.string().nullish(),
  inputs_schema_definition: JsonObject.nullish(),
  outputs_schema_definition: JsonObject.nullish(),
  transformations: z.array(JsonObject).nullish(),
  baseline_experiment_id: Uuid.nullish(),
};

export const DatasetCreate = z.object({
  ...fields,
  id: Uuid.nullish(),
  name: IndexedName.min(1, 'Must have a name.'),
  data_type: DataType.nullish(),
  extra: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
});
export type DatasetCreate = z.output<typeof DatasetCreate>;

export const DatasetUpdate = z.object({
  ...fields,
  name: IndexedName.min(1).nullish(),
  metadata: JsonObject.nullish(),
});
export type DatasetUpdate = z.output<typeof DatasetUpdate>;

export const DatasetsQuery = z.object({
  ...queryPaging(100, 100),
  id: QueryList.optional(),
  name: z.string().optional(),
  name_contains: z.string().optional(),
  data_type: QueryList.optional(),
  metadata: QueryJsonObject.optional(),
  sort_by: z
    .enum(['name', 'created_at', 'modified_at', 'last_session_start_time', 'example_count', 'session_count'])
    .default('created_at'),
  sort_by_desc: QueryBoolean.default(true),
});
export type DatasetsQuery = z.output<typeof DatasetsQuery>;

export const DatasetVersion = z.looseObject({ as_of: z.string(), tags: z.array(z.string()).nullish() });
export type DatasetVersion = z.output<typeof DatasetVersion>;

const params = z.object({ dataset_id: Uuid });
const asOf = z.string().default('latest');
const Message = z.looseObject({ message: z.string() });

export const datasets = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/datasets',
    summary: 'Create a dataset',
    credentials: 'api-key',
    right: 'write',
    body: DatasetCreate,
    responses: { 200: Dataset },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets',
    summary: 'List datasets',
    credentials: 'api-key',
    right: 'read',
    query: DatasetsQuery,
    responses: { 200: z.array(Dataset) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}',
    summary: 'Get a dataset',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: { 200: Dataset },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/datasets/{dataset_id}',
    summary: 'Update the name or description of a dataset',
    credentials: 'api-key',
    right: 'write',
    params,
    body: DatasetUpdate,
    responses: { 200: Dataset },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/datasets/{dataset_id}',
    summary: 'Delete a dataset with all versions of its examples',
    credentials: 'api-key',
    right: 'write',
    params,
    responses: { 200: Message },
  }),
  clone: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/datasets/clone',
    summary: 'Copy examples of one dataset into another',
    credentials: 'api-key',
    right: 'write',
    body: z.object({
      target_dataset_id: Uuid,
      source_dataset_id: Uuid,
      as_of: z.string().nullish(),
      examples: z.array(Uuid).nullish(),
      split: z.union([z.string(), z.array(z.string())]).nullish(),
    }),
    responses: { 200: z.array(z.looseObject({ id: z.string() })) },
  }),
  versions: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/versions',
    summary: 'List the versions of a dataset, newest first',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ ...queryPaging(100, 100), search: z.string().optional(), example: Uuid.optional() }),
    responses: { 200: z.array(DatasetVersion) },
  }),
  version: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/version',
    summary: 'Get the version at a time, or with a tag',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: z.string().optional(), tag: z.string().optional() }),
    responses: { 200: DatasetVersion },
  }),
  tag: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/datasets/{dataset_id}/tags',
    summary: 'Tag a version, or move the tag to it',
    credentials: 'api-key',
    right: 'write',
    params,
    body: z.object({ as_of: z.string(), tag: IndexedName.min(1) }),
    responses: { 200: DatasetVersion },
  }),
  diff: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/versions/diff',
    summary: 'Compare two versions',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ from_version: z.string(), to_version: z.string() }),
    responses: {
      200: z.looseObject({
        examples_added: z.array(z.string()),
        examples_modified: z.array(z.string()),
        examples_removed: z.array(z.string()),
      }),
    },
  }),
  splits: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/splits',
    summary: 'List the splits of a dataset',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: asOf }),
    responses: { 200: z.array(z.string()) },
  }),
  updateSplits: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/datasets/{dataset_id}/splits',
    summary: 'Add examples to a split, or remove them',
    credentials: 'api-key',
    right: 'write',
    params,
    body: z.object({
      split_name: z.string().min(1),
      examples: z.array(Uuid).min(1),
      remove: z.boolean().default(false),
    }),
    responses: { 200: z.array(z.string()) },
  }),
  upload: endpoint({
    kind: 'multipart',
    method: 'POST',
    path: '/datasets/upload',
    summary: 'Create a dataset from a CSV or JSONL file',
    credentials: 'api-key',
    right: 'write',
    parts:
      '`file`, `input_keys` and `output_keys` (repeated), optionally `metadata_keys`, `name`, `description`, `data_type`',
    responses: { 200: Dataset },
  }),
  exportCsv: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/datasets/{dataset_id}/csv',
    summary: 'Export the examples of a dataset as CSV',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: asOf }),
    contentType: 'text/csv; charset=utf-8',
  }),
  exportOpenai: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/datasets/{dataset_id}/openai_ft',
    summary: 'Export the examples as JSON Lines for fine-tuning',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: asOf }),
    contentType: 'application/jsonl',
  }),
  exportJsonl: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/datasets/{dataset_id}/jsonl',
    summary: 'Export the examples of a dataset as JSON Lines',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: asOf }),
    contentType: 'application/jsonl; charset=utf-8',
  }),
};
