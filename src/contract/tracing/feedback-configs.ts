import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { QueryBoolean, QueryList, queryPaging } from '../fields.ts';
import { FeedbackCategory, FeedbackConfig, FeedbackKey } from './feedback.ts';

/** The meaning of a key's feedback: its range or its categories, and whether a low or a high score is better. */
export const FeedbackConfigRead = z.looseObject({
  feedback_key: z.string(),
  feedback_config: FeedbackConfig,
  tenant_id: z.string(),
  modified_at: z.string(),
  is_lower_score_better: z.boolean().nullish(),
});
export type FeedbackConfigRead = z.output<typeof FeedbackConfigRead>;

export const FeedbackConfigCreate = z.object({
  feedback_key: FeedbackKey,
  feedback_config: FeedbackConfig,
  is_lower_score_better: z.boolean().nullish(),
});
export type FeedbackConfigCreate = z.output<typeof FeedbackConfigCreate>;

export const FeedbackConfigUpdate = z.object({
  feedback_key: FeedbackKey,
  feedback_config: FeedbackConfig.nullish(),
  is_lower_score_better: z.boolean().nullish(),
  /** Categories to add to the existing ones, with new values and labels. */
  add_categories: z.array(FeedbackCategory).nullish(),
  /** The values of categories to remove. */
  remove_categories: z.array(z.number()).nullish(),
});
export type FeedbackConfigUpdate = z.output<typeof FeedbackConfigUpdate>;

export const FeedbackConfigsQuery = z.object({
  ...queryPaging(100, 100),
  key: QueryList.optional(),
  name_contains: z.string().optional(),
  sort_by_desc: QueryBoolean.default(true),
});
export type FeedbackConfigsQuery = z.output<typeof FeedbackConfigsQuery>;

export const feedbackConfigs = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/feedback-configs',
    summary: 'Configure a feedback key',
    credentials: 'api-key',
    right: 'write',
    body: FeedbackConfigCreate,
    responses: { 200: FeedbackConfigRead },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/feedback-configs',
    summary: 'List the configurations of feedback keys, latest change first',
    credentials: 'api-key',
    right: 'read',
    query: FeedbackConfigsQuery,
    responses: { 200: z.array(FeedbackConfigRead) },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/feedback-configs',
    summary: 'Update the configuration of a feedback key; other fields stay as they are',
    credentials: 'api-key',
    right: 'write',
    body: FeedbackConfigUpdate,
    responses: { 200: FeedbackConfigRead },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/feedback-configs',
    summary: 'Delete the configuration of a feedback key; feedback is kept',
    credentials: 'api-key',
    right: 'write',
    query: z.object({ feedback_key: FeedbackKey }),
    responses: { 204: null },
  }),
};
