import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { defaulted, JsonObject, QueryBoolean, QueryList, queryPaging, Uuid } from '../fields.ts';

const FeedbackScore = z.union([z.number(), z.boolean()]).nullish();
const FeedbackValue = z.union([z.number(), z.boolean(), z.string(), JsonObject]).nullish();
const Correction = z.union([JsonObject, z.string()]).nullish();
export const FeedbackKey = z.string().min(1).max(180);

export const FeedbackCategory = z.looseObject({ value: z.number(), label: z.string().nullish() });
export type FeedbackCategory = z.output<typeof FeedbackCategory>;

export const FeedbackConfig = z.looseObject({
  type: z.enum(['continuous', 'categorical', 'freeform']),
  min: z.number().nullish(),
  max: z.number().nullish(),
  categories: z.array(FeedbackCategory).nullish(),
});
export type FeedbackConfig = z.output<typeof FeedbackConfig>;

export const Feedback = z.looseObject({
  id: z.string(),
  key: z.string(),
  run_id: z.string().nullish(),
  trace_id: z.string().nullish(),
  session_id: z.string().nullish(),
  score: FeedbackScore,
  value: z.unknown(),
  comment: z.string().nullish(),
  correction: z.unknown(),
  extra: JsonObject.nullish(),
  created_at: z.string(),
  modified_at: z.string(),
});
export type Feedback = z.output<typeof Feedback>;

export const FeedbackCreate = z
  .looseObject({
    id: Uuid.nullish(),
    key: FeedbackKey,
    run_id: Uuid.nullish(),
    trace_id: Uuid.nullish(),
    session_id: Uuid.nullish(),
    score: FeedbackScore,
    value: FeedbackValue,
    comment: z.string().nullish(),
    correction: Correction,
    feedback_source: z
      .looseObject({
        type: z.enum(['api', 'model', 'app', 'auto_eval']).nullish(),
        metadata: JsonObject.nullish(),
      })
      .nullish(),
    feedback_config: FeedbackConfig.nullish(),
    feedback_group_id: Uuid.nullish(),
    comparative_experiment_id: Uuid.nullish(),
    created_at: z.string().nullish(),
    modified_at: z.string().nullish(),
    extend_trace_retention: z.boolean().nullish(),
    error: z.boolean().nullish(),
  })
  .refine(({ run_id, trace_id, session_id }) => Boolean(run_id ?? trace_id ?? session_id), {
    path: ['run_id'],
    message: 'One of run_id, trace_id and session_id is required.',
  });
export type FeedbackCreate = z.output<typeof FeedbackCreate>;

export const FeedbackUpdate = z.object({
  score: FeedbackScore,
  value: FeedbackValue,
  comment: z.string().nullish(),
  correction: Correction,
  feedback_config: FeedbackConfig.nullish(),
});
export type FeedbackUpdate = z.output<typeof FeedbackUpdate>;

export const FeedbackQuery = z.object({
  ...queryPaging(100, 100),
  run: QueryList.optional(),
  key: QueryList.optional(),
  session: QueryList.optional(),
  source: QueryList.optional(),
  has_comment: QueryBoolean.optional(),
  has_score: QueryBoolean.optional(),
  level: z.enum(['run', 'session']).optional(),
  min_created_at: z.string().optional(),
  max_created_at: z.string().optional(),
  user: QueryList.optional(),
  comparative_experiment_id: Uuid.optional(),
});
export type FeedbackQuery = z.output<typeof FeedbackQuery>;

/** The body of a POST to a feedback link (docs/interface/tracing.md#feedback). */
export const FeedbackSubmission = z.object({
  score: FeedbackScore,
  value: FeedbackValue,
  comment: z.string().nullish(),
  correction: Correction,
  metadata: JsonObject.nullish(),
  extend_trace_retention: defaulted(z.boolean(), true),
});
export type FeedbackSubmission = z.output<typeof FeedbackSubmission>;

const TokenCreate = z.object({
  run_id: Uuid,
  feedback_key: FeedbackKey,
  feedback_config: FeedbackConfig.nullish(),
  expires_in: z
    .object({
      days: z.int().min(0).max(36_500).optional(),
      hours: z.int().min(0).max(876_000).optional(),
      minutes: z.int().min(0).max(52_560_000).optional(),
    })
    .nullish(),
  expires_at: z.string().nullish(),
});
export type TokenCreate = z.output<typeof TokenCreate>;

const FeedbackToken = z.looseObject({
  id: z.string(),
  url: z.string(),
  expires_at: z.string(),
  feedback_key: z.string(),
});

const feedbackParams = z.object({ feedback_id: Uuid });
const tokenParams = z.object({ token: Uuid });
const Submitted = z.looseObject({ feedback_id: z.string(), message: z.string() });

export const feedback = {
  createTokens: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/feedback/tokens',
    summary: 'Create pre-signed links for giving feedback',
    credentials: 'api-key',
    right: 'trace',
    body: z.union([TokenCreate, z.array(TokenCreate).min(1)]),
    responses: { 200: z.union([FeedbackToken, z.array(FeedbackToken)]) },
  }),
  listTokens: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/feedback/tokens',
    summary: 'List the feedback links of a run',
    credentials: 'api-key',
    right: 'trace',
    query: z.object({ ...queryPaging(100, 100), run_id: Uuid }),
    responses: { 200: z.array(FeedbackToken) },
  }),
  submit: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/feedback/tokens/{token}',
    summary: 'Give feedback by a link',
    credentials: 'presigned',
    params: tokenParams,
    body: FeedbackSubmission,
    responses: { 200: Submitted },
  }),
  submitByQuery: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/feedback/tokens/{token}',
    summary: 'Give feedback by opening a link; metadata is not supported here',
    credentials: 'presigned',
    params: tokenParams,
    query: z.object({
      score: z.string().optional(),
      value: z.string().optional(),
      comment: z.string().optional(),
      correction: z.string().optional(),
      metadata: z.never('GET does not support metadata. Use POST.').optional(),
      extend_trace_retention: QueryBoolean.default(true),
    }),
    responses: { 200: Submitted },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/feedback',
    summary: 'Create feedback',
    credentials: 'api-key',
    right: 'trace',
    body: FeedbackCreate,
    responses: { 200: Feedback },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/feedback',
    summary: 'List feedback, newest first',
    credentials: 'api-key',
    right: 'read',
    query: FeedbackQuery,
    responses: { 200: z.array(Feedback) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/feedback/{feedback_id}',
    summary: 'Get feedback',
    credentials: 'api-key',
    right: 'read',
    params: feedbackParams,
    responses: { 200: Feedback },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/feedback/{feedback_id}',
    summary: 'Update feedback; other fields stay as they are',
    credentials: 'api-key',
    right: 'trace',
    params: feedbackParams,
    body: FeedbackUpdate,
    responses: { 200: Feedback },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/feedback/{feedback_id}',
    summary: 'Delete feedback',
    credentials: 'api-key',
    right: 'trace',
    params: feedbackParams,
    responses: { 200: z.looseObject({ message: z.string() }) },
  }),
};
