import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  defaulted,
  JsonObject,
  QueryBoolean,
  QueryInteger,
  QueryJsonObject,
  QueryList,
  queryPaging,
  Uuid,
} from '../fields.ts';

/** An example of a dataset; a tombstone has null inputs and outputs. */
export const Example = z.looseObject({
  id: z.string(),
  dataset_id: z.string(),
  name: z.string(),
  inputs: JsonObject.nullish(),
  outputs: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  created_at: z.string(),
  modified_at: z.string().nullish(),
  source_run_id: z.string().nullish(),
});
export type Example = z.output<typeof Example>;

const Split = z.union([z.string(), z.array(z.string())]).nullish();

export const ExampleCreate = z.object({
  id: Uuid.nullish(),
  dataset_id: Uuid,
  inputs: JsonObject.nullish(),
  outputs: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  split: Split,
  source_run_id: Uuid.nullish(),
  use_source_run_io: z.boolean().nullish(),
  use_source_run_attachments: z.union([z.boolean(), z.array(z.string())]).nullish(),
  created_at: z.string().nullish(),
});
export type ExampleCreate = z.output<typeof ExampleCreate>;

const AttachmentsOperations = z.object({
  rename: z.record(z.string(), z.string()).nullish(),
  retain: z.array(z.string()).nullish(),
});

export const ExampleUpdate = z.object({
  dataset_id: Uuid.nullish(),
  inputs: JsonObject.nullish(),
  outputs: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  split: Split,
  attachments_operations: AttachmentsOperations.nullish(),
  overwrite: z.boolean().nullish(),
});
export type ExampleUpdate = z.output<typeof ExampleUpdate>;

const filters = {
  id: QueryList.optional(),
  dataset: Uuid.optional(),
  as_of: z.string().optional(),
  /** A JSON object that an example's metadata must contain. */
  metadata: QueryJsonObject.optional(),
  full_text_contains: z.union([z.string(), z.array(z.string())]).optional(),
  splits: QueryList.optional(),
  filter: z.string().optional(),
};

export const ExamplesQuery = z.object({
  ...filters,
  ...queryPaging(100, 100),
  order: z.enum(['recent', 'random', 'recently_created', 'id']).default('recent'),
  random_seed: z.string().optional(),
  descending: QueryBoolean.optional(),
  select: QueryList.optional(),
  inline_s3_urls: QueryBoolean.optional(),
  /** Includes tombstones (an Agent Harbor extension). */
  include_deleted: QueryBoolean.default(false),
});
export type ExamplesQuery = z.output<typeof ExamplesQuery>;

/** An example matches if it has any one of the pairs. `as_of` is required with a filter. */
const MetadataBody = z.object({ metadata: JsonObject.nullish() });

const ExamplesDelete = z.object({
  example_ids: z.array(Uuid).min(1).max(1000),
  hard_delete: defaulted(z.boolean(), false),
});

const params = z.object({ example_id: Uuid });
const Message = z.looseObject({ message: z.string() });
const Written = z.looseObject({
  count: z.int(),
  example_ids: z.array(z.string()),
  as_of: z.string().optional(),
});
const exampleParts =
  '`<example_id>` (JSON: metadata, split, source_run_id, …), `<example_id>.inputs`, `<example_id>.outputs`, ' +
  '`<example_id>.attachment.<name>`, `<example_id>.attachments_operations`';

/** The checked example, as it would be stored. */
const ExampleChecked = z.looseObject({ dataset_id: z.string().nullish(), inputs: JsonObject.nullish() });

export const examples = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/examples',
    summary: 'Create an example, new or from a run',
    credentials: 'api-key',
    right: 'write',
    body: ExampleCreate,
    responses: { 200: Example },
  }),
  createMany: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/examples/bulk',
    summary: 'Create examples as one new version',
    credentials: 'api-key',
    right: 'write',
    body: z.array(ExampleCreate).min(1),
    responses: { 200: z.array(Example) },
  }),
  updateMany: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/examples/bulk',
    summary: 'Update examples as one new version',
    credentials: 'api-key',
    right: 'write',
    body: z.array(ExampleUpdate.extend({ id: Uuid })).min(1),
    responses: { 200: Message },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/examples',
    summary: 'List examples, in the current or an earlier version',
    credentials: 'api-key',
    right: 'read',
    query: ExamplesQuery,
    body: MetadataBody,
    responses: { 200: z.array(Example.partial()) },
  }),
  count: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/examples/count',
    summary: 'Count examples',
    credentials: 'api-key',
    right: 'read',
    query: z.object({ ...filters, limit: QueryInteger.optional() }),
    responses: { 200: z.int() },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/examples/{example_id}',
    summary: 'Get an example, in the current or an earlier version',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({ as_of: z.string().optional(), dataset: Uuid.optional() }),
    responses: { 200: Example },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/examples/{example_id}',
    summary: 'Update an example; other fields stay as they are',
    credentials: 'api-key',
    right: 'write',
    params,
    body: ExampleUpdate,
    responses: { 200: Message },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/examples/{example_id}',
    summary: 'Delete an example; earlier versions keep it',
    credentials: 'api-key',
    right: 'write',
    params,
    responses: { 200: Message },
  }),
  deleteMany: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/examples',
    summary: 'Delete examples; earlier versions keep them',
    credentials: 'api-key',
    right: 'write',
    query: z.object({ example_ids: QueryList }),
    responses: { 200: Message },
  }),
  validate: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/examples/validate',
    summary: 'Check whether an example could be created, without creating it',
    credentials: 'api-key',
    right: 'read',
    body: ExampleCreate,
    responses: { 200: ExampleChecked },
  }),
  validateMany: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/examples/validate/bulk',
    summary: 'Check whether examples could be created, without creating them',
    credentials: 'api-key',
    right: 'read',
    body: z.array(ExampleCreate).min(1),
    responses: { 200: z.array(ExampleChecked) },
  }),
  uploadFile: endpoint({
    kind: 'multipart',
    method: 'POST',
    path: '/examples/upload/{dataset_id}',
    summary: 'Add the rows of a CSV or JSONL file',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ dataset_id: Uuid }),
    parts: '`file`, `input_keys`, `output_keys` and `metadata_keys` (repeated)',
    responses: { 200: z.array(Example) },
  }),
};

/** Served below `/v1/platform` and `/api/v1/platform`. */
export const platformExamples = {
  deleteBatch: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v1/platform/datasets/examples/delete/',
    summary: 'Delete examples, from all versions if hard_delete is true',
    credentials: 'api-key',
    right: 'write',
    body: ExamplesDelete,
    responses: { 200: z.looseObject({ count: z.int(), example_ids: z.array(z.string()) }) },
  }),
  upload: endpoint({
    kind: 'multipart',
    method: 'POST',
    path: '/v1/platform/datasets/{dataset_id}/examples',
    summary: 'Add examples with attachments',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ dataset_id: Uuid }),
    parts: exampleParts,
    responses: { 201: Written },
  }),
  update: endpoint({
    kind: 'multipart',
    method: 'PATCH',
    path: '/v1/platform/datasets/{dataset_id}/examples',
    summary: 'Update examples and their attachments',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ dataset_id: Uuid }),
    parts: exampleParts,
    responses: { 201: Written },
  }),
};
