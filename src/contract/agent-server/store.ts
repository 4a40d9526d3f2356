import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, kept, LifetimeMinutes, paging, QueryBoolean } from '../fields.ts';

/** A part of a namespace: `["users", "ada"]` has two. */
const NamespaceLabel = z
  .string()
  .min(1, 'Namespace labels must not be empty.')
  .max(256)
  .refine((label) => !label.includes('.'), "Namespace labels must not contain '.'.")
  .refine((label) => !label.includes('\u001f'), 'Namespace labels must not contain control characters.');

const namespaceOf = (label: z.ZodString) =>
  z.array(label).min(1, 'A namespace needs at least one label.').max(64);
export const Namespace = namespaceOf(NamespaceLabel);
const NamespacePrefix = z.array(NamespaceLabel).max(64);

/** A namespace in a query: labels joined by dots, or the parameter repeated for each label. */
const QueryNamespace = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split('.')))
  .pipe(Namespace);

const Key = z.string().min(1).max(1024);

export const Item = z.looseObject({
  namespace: z.array(z.string()),
  key: z.string(),
  value: JsonObject,
  created_at: z.string(),
  updated_at: z.string(),
  /** The item's similarity to a search query; 1 is identical. */
  score: z.number().optional(),
});
export type Item = z.output<typeof Item>;

const StorePutRequest = z.object({
  namespace: namespaceOf(kept(NamespaceLabel)),
  key: kept(Key),
  value: JsonObject,
  /** The paths to embed; `false` embeds nothing. */
  index: z.union([z.literal(false), z.array(z.string())]).nullish(),
  /** Minutes until the item expires. */
  ttl: LifetimeMinutes.nullish(),
});

const StoreSearchRequest = z.object({
  namespace_prefix: NamespacePrefix.nullish(),
  filter: JsonObject.nullish(),
  ...paging(1000, 10),
  query: z.string().max(100_000).nullish(),
  refresh_ttl: z.boolean().nullish(),
});

/** Labels, where `*` matches any single label. */
const Pattern = z.array(z.string().min(1)).max(64);

const StoreNamespacesRequest = z.object({
  prefix: Pattern.nullish(),
  suffix: Pattern.nullish(),
  max_depth: z.int().min(1).nullish(),
  ...paging(1000, 100),
});

/** Long-term memory shared by all threads of a deployment. */
export const store = {
  put: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/store/items',
    summary: 'Create or replace an item',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'store', action: 'put' },
    body: StorePutRequest,
    responses: { 204: null },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/store/items',
    summary: 'Get an item',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'store', action: 'get' },
    query: z.object({
      namespace: QueryNamespace,
      key: Key,
      refresh_ttl: QueryBoolean.optional(),
    }),
    /** `null` if there is no such item, as the public clients expect. */
    responses: { 200: Item.nullable() },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/store/items',
    summary: 'Delete an item',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'store', action: 'delete' },
    body: z.object({ namespace: Namespace, key: Key }),
    responses: { 204: null },
  }),
  search: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/store/items/search',
    summary: 'Search items under a namespace prefix, by their fields or by meaning',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'store', action: 'search' },
    body: StoreSearchRequest,
    responses: { 200: z.looseObject({ items: z.array(Item) }) },
  }),
  namespaces: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/store/namespaces',
    summary: 'List namespaces',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'store', action: 'list_namespaces' },
    body: StoreNamespacesRequest,
    responses: { 200: z.looseObject({ namespaces: z.array(z.array(z.string())) }) },
  }),
};
