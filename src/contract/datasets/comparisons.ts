import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, QueryList, queryPaging, Uuid } from '../fields.ts';

/** A comparison of experiments on one dataset, as the clients' `evaluateComparative` makes it. */
export const Comparison = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  tenant_id: z.string(),
  reference_dataset_id: z.string(),
  created_at: z.string(),
  modified_at: z.string(),
  extra: JsonObject.nullish(),
  experiments_info: z.array(z.looseObject({ id: z.string(), name: z.string() })),
});
export type Comparison = z.output<typeof Comparison>;

export const ComparisonCreate = z.object({
  id: Uuid.nullish(),
  experiment_ids: z.array(Uuid).min(1, 'Must contain at least one experiment.').max(50),
  reference_dataset_id: Uuid,
  name: z.string().nullish(),
  description: z.string().nullish(),
  created_at: z.string().nullish(),
  modified_at: z.string().nullish(),
  extra: JsonObject.nullish(),
});
export type ComparisonCreate = z.output<typeof ComparisonCreate>;

export const comparisons = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/datasets/comparative',
    summary: 'Create a comparison of experiments',
    credentials: 'api-key',
    right: 'write',
    body: ComparisonCreate,
    responses: { 200: Comparison },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/comparative',
    summary: 'List the comparisons of experiments on a dataset, newest first',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ dataset_id: Uuid }),
    query: z.object({ ...queryPaging(100, 100), id: QueryList.optional(), name: z.string().optional() }),
    responses: { 200: z.array(Comparison) },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/datasets/comparative/{comparative_experiment_id}',
    summary: 'Delete a comparison; its experiments are kept',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ comparative_experiment_id: Uuid }),
    responses: { 200: z.looseObject({ message: z.string() }) },
  }),
};
