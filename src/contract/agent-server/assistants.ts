import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  defaulted,
  IndexedName,
  JsonObject,
  kept,
  OptionalObject,
  paging,
  QueryBoolean,
  QueryInteger,
  SortOrder,
  Uuid,
} from '../fields.ts';

/** An assistant's ID, or the ID of a graph, which means the graph's default assistant. */
export const AssistantRef = z.string().min(1);

export const Assistant = z.looseObject({
  assistant_id: z.string(),
  graph_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  config: JsonObject,
  context: JsonObject,
  metadata: JsonObject,
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Assistant = z.output<typeof Assistant>;

export const AssistantField = z.enum([
  'assistant_id',
  'graph_id',
  'name',
  'description',
  'config',
  'context',
  'created_at',
  'updated_at',
  'metadata',
  'version',
]);

export const AssistantCreate = z.object({
  assistant_id: Uuid.nullish(),
  graph_id: z.string().min(1),
  config: OptionalObject,
  context: OptionalObject,
  metadata: OptionalObject,
  if_exists: defaulted(z.enum(['raise', 'do_nothing']), 'raise'),
  name: kept(IndexedName).nullish(),
  description: kept(z.string()).nullish(),
});
export type AssistantCreate = z.output<typeof AssistantCreate>;

/**
 * A new version. Absent fields keep the values of the active version; `config` and `context` are replaced,
 * and `metadata` is merged.
 */
export const AssistantPatch = z.object({
  graph_id: z.string().min(1).nullish(),
  config: JsonObject.nullish(),
  context: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  name: kept(IndexedName).nullish(),
  description: kept(z.string()).nullish(),
});
export type AssistantPatch = z.output<typeof AssistantPatch>;

const AssistantFilter = {
  metadata: JsonObject.nullish(),
  graph_id: z.string().nullish(),
  name: z.string().nullish(),
};

export const AssistantSearch = z.object({
  ...AssistantFilter,
  ...paging(1000, 10),
  sort_by: z.enum(['assistant_id', 'created_at', 'updated_at', 'name', 'graph_id']).nullish(),
  sort_order: SortOrder.nullish(),
  select: z.array(AssistantField).nullish(),
});
export type AssistantSearch = z.output<typeof AssistantSearch>;

export const AssistantCount = z.object(AssistantFilter);
export type AssistantCount = z.output<typeof AssistantCount>;

export const GraphSchemas = z.looseObject({
  graph_id: z.string().optional(),
  input_schema: JsonObject.nullish(),
  output_schema: JsonObject.nullish(),
  state_schema: JsonObject.nullish(),
  config_schema: JsonObject.nullish(),
  context_schema: JsonObject.nullish(),
});
export type GraphSchemas = z.output<typeof GraphSchemas>;

const params = z.object({ assistant_id: AssistantRef });

export const assistants = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/assistants',
    summary: 'Create an assistant',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'create' },
    body: AssistantCreate,
    responses: { 200: Assistant },
  }),
  search: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/assistants/search',
    summary: 'Search assistants',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'search' },
    body: AssistantSearch,
    responses: { 200: z.array(Assistant.partial()) },
  }),
  count: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/assistants/count',
    summary: 'Count assistants',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'search' },
    body: AssistantCount,
    responses: { 200: z.int() },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/assistants/{assistant_id}',
    summary: 'Get an assistant',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params,
    responses: { 200: Assistant },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/assistants/{assistant_id}',
    summary: 'Create a new active version of an assistant',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'update' },
    params,
    body: AssistantPatch,
    responses: { 200: Assistant },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/assistants/{assistant_id}',
    summary: 'Delete an assistant with all its versions',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'delete' },
    params,
    query: z.object({ delete_threads: QueryBoolean.default(false) }),
    responses: { 204: null },
  }),
  versions: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/assistants/{assistant_id}/versions',
    summary: 'List the versions of an assistant, newest first',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params,
    body: z.object({ metadata: JsonObject.nullish(), ...paging(1000, 10) }),
    responses: { 200: z.array(Assistant) },
  }),
  setLatest: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/assistants/{assistant_id}/latest',
    summary: 'Make a version the active one',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'update' },
    params,
    // The public API description puts the version into the query, the SDKs into the body.
    query: z.object({ version: QueryInteger.optional() }),
    body: z.object({ version: z.int().min(1).optional() }),
    responses: { 200: Assistant },
  }),
  graph: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/assistants/{assistant_id}/graph',
    summary: "Get the nodes and edges of the graph's diagram",
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params,
    query: z.object({ xray: z.union([QueryBoolean, QueryInteger]).default(false) }),
    responses: { 200: z.looseObject({ nodes: z.array(JsonObject), edges: z.array(JsonObject) }) },
  }),
  schemas: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/assistants/{assistant_id}/schemas',
    summary: "Get the graph's input, output, state, config and context schemas",
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params,
    responses: { 200: GraphSchemas },
  }),
  subgraphs: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs',
    summary: "Get the schemas of the graph's subgraphs",
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params,
    query: z.object({ recurse: QueryBoolean.default(false) }),
    responses: { 200: z.record(z.string(), GraphSchemas) },
  }),
  subgraphsOf: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs/{namespace}',
    summary: 'Get the schemas of one subgraph',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params: z.object({ assistant_id: AssistantRef, namespace: z.string() }),
    query: z.object({ recurse: QueryBoolean.default(false) }),
    responses: { 200: z.record(z.string(), GraphSchemas) },
  }),
};
