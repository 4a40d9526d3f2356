import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { queryPaging, Uuid } from '../fields.ts';

const ComputeConfig = z.looseObject({ k8s_namespaces: z.array(z.string()).nullish() });

export const Listener = z.looseObject({
  id: z.string(),
  version: z.string().nullish(),
  compute_type: z.string(),
  compute_id: z.string(),
  compute_config: ComputeConfig,
  created_at: z.string(),
  updated_at: z.string(),
});
export type Listener = z.output<typeof Listener>;

export const ListenerCreate = z.object({
  version: z.string().nullish(),
  compute_type: z.literal('k8s'),
  compute_id: z.string().min(1),
  compute_config: ComputeConfig,
});
export type ListenerCreate = z.output<typeof ListenerCreate>;

/** Fields that are null or absent stay as they are. */
export const ListenerPatch = z.object({
  version: z.string().nullish(),
  compute_config: ComputeConfig.nullish(),
});
export type ListenerPatch = z.output<typeof ListenerPatch>;

const params = z.object({ listener_id: Uuid });

/**
 * Listeners of self-hosted installations (docs/interface/control-plane.md#listeners). They are checked and stored as the
 * public interface describes, but have no effect, because nothing here runs in a cluster.
 */
export const listeners = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/listeners',
    summary: 'List listeners',
    credentials: 'api-key',
    right: 'read',
    query: z.object(queryPaging(100, 20)),
    responses: { 200: z.looseObject({ resources: z.array(Listener), offset: z.int() }) },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/listeners',
    summary: 'Create a listener',
    credentials: 'api-key',
    right: 'deploy',
    body: ListenerCreate,
    responses: { 201: Listener },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/listeners/{listener_id}',
    summary: 'Get a listener',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: { 200: Listener },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/v2/listeners/{listener_id}',
    summary: 'Update a listener',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: ListenerPatch,
    responses: { 200: Listener },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/listeners/{listener_id}',
    summary: 'Delete a listener',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 204: null },
  }),
};
