import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

/**
 * Rules on runs. A trace with a run that a rule matches is kept for the extended time. Other actions of the
 * cloud's rules (evaluators, queues, webhooks) are refused by name rather than ignored.
 */
export const RunRule = z.looseObject({
  id: z.string(),
  tenant_id: z.string(),
  display_name: z.string(),
  session_id: z.string().nullish(),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
  sampling_rate: z.number(),
  is_enabled: z.boolean(),
  extend_only: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type RunRule = z.output<typeof RunRule>;

const filters = {
  session_id: Uuid.nullish(),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
};

export const RunRuleCreate = z.strictObject({
  ...filters,
  display_name: z.string().min(1, 'Must have a name.').max(200),
  sampling_rate: z.number().min(0).max(1).default(1),
  is_enabled: z.boolean().default(true),
  extend_only: z.literal(true, 'Must be true: rules can only extend retention here.').default(true),
});
export type RunRuleCreate = z.output<typeof RunRuleCreate>;

export const RunRuleUpdate = z.strictObject({
  ...filters,
  display_name: z.string().min(1).max(200).optional(),
  sampling_rate: z.number().min(0).max(1).optional(),
  is_enabled: z.boolean().optional(),
  extend_only: z.literal(true).optional(),
});
export type RunRuleUpdate = z.output<typeof RunRuleUpdate>;

const params = z.object({ rule_id: Uuid });

export const rules = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/runs/rules',
    summary: 'List the rules on runs',
    credentials: 'api-key',
    right: 'read',
    query: z.object({ session_id: Uuid.optional() }),
    responses: { 200: z.array(RunRule) },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/rules',
    summary: 'Create a rule that keeps traces longer if a run matches a filter',
    credentials: 'api-key',
    right: 'write',
    body: RunRuleCreate,
    responses: { 200: RunRule },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/runs/rules/{rule_id}',
    summary: 'Update a rule; other fields stay as they are',
    credentials: 'api-key',
    right: 'write',
    params,
    body: RunRuleUpdate,
    responses: { 200: RunRule },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/runs/rules/{rule_id}',
    summary: 'Delete a rule; retention it has extended stays extended',
    credentials: 'api-key',
    right: 'write',
    params,
    responses: { 200: RunRule },
  }),
};
