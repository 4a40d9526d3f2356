import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  DelaySeconds,
  defaulted,
  JsonObject,
  OptionalObject,
  QueryBoolean,
  QueryInteger,
  QueryList,
  Uuid,
  WebhookUrl,
} from '../fields.ts';
import { AssistantRef } from './assistants.ts';
import { Replay } from './exchanges.ts';
import { CheckpointConfig, RunCommand, ThreadTtl } from './threads.ts';

export const RunStatus = z.enum(['pending', 'running', 'error', 'success', 'timeout', 'interrupted']);
export type RunStatus = z.output<typeof RunStatus>;

export const MultitaskStrategy = z.enum(['reject', 'rollback', 'interrupt', 'enqueue']);
export type MultitaskStrategy = z.output<typeof MultitaskStrategy>;

export const StreamMode = z.enum([
  'values',
  'updates',
  'messages',
  'messages-tuple',
  'tasks',
  'checkpoints',
  'events',
  'debug',
  'custom',
  'tools',
]);
export type StreamMode = z.output<typeof StreamMode>;

export const Run = z.looseObject({
  run_id: z.string(),
  thread_id: z.string().nullable(),
  assistant_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: RunStatus,
  metadata: JsonObject,
  kwargs: JsonObject.optional(),
  multitask_strategy: MultitaskStrategy.nullish(),
  /** Agent Harbor only: the revision of the run's last attempt; absent before the first one and for open folders. */
  revision_id: z.string().optional(),
});
export type Run = z.output<typeof Run>;

const RunField = z.enum([
  'run_id',
  'thread_id',
  'assistant_id',
  'created_at',
  'updated_at',
  'status',
  'metadata',
  'kwargs',
  'multitask_strategy',
  'langsmith_session_name',
]);

/** Names of nodes; `*` means all. */
export const NodeSelection = z.union([z.literal('*'), z.array(z.string())]);

export const Durability = z.enum(['sync', 'async', 'exit']);

const shared = {
  assistant_id: AssistantRef,
  input: z.unknown().optional(),
  /** Takes precedence over the input if both are given, as on the public servers. */
  command: RunCommand.nullish(),
  checkpoint: CheckpointConfig.nullish(),
  checkpoint_id: z.string().nullish(),
  metadata: OptionalObject,
  config: z
    .looseObject({
      tags: z.array(z.string()).nullish(),
      recursion_limit: z.int().min(1).nullish(),
      configurable: JsonObject.nullish(),
    })
    .nullish()
    .transform((config) => config ?? {}),
  context: OptionalObject,
  webhook: WebhookUrl.nullish(),
  interrupt_before: NodeSelection.nullish(),
  interrupt_after: NodeSelection.nullish(),
  stream_mode: defaulted(
    z.union([StreamMode, z.array(StreamMode)]).transform((mode) => (Array.isArray(mode) ? mode : [mode])),
    ['values'],
  ),
  stream_subgraphs: defaulted(z.boolean(), false),
  stream_resumable: defaulted(z.boolean(), false),
  on_disconnect: defaulted(z.enum(['cancel', 'continue']), 'continue'),
  feedback_keys: z.array(z.string().min(1).max(180)).nullish(),
  after_seconds: DelaySeconds.nullish(),
  checkpoint_during: z.boolean().nullish(),
  durability: Durability.nullish(),
  langsmith_tracer: z
    .looseObject({ project_name: z.string().nullish(), example_id: z.string().nullish() })
    .nullish(),
  strict_resume: z.boolean().nullish(),
  /** Records requests to models and tools and their answers, for replay. Agent Harbor only. */
  record: z.boolean().nullish(),
  /** Answers requests to models and tools from a recording of the thread. Agent Harbor only. */
  replay: Replay.nullish(),
  /** Dollars that the run's model calls may cost; the call that crosses this limit is the last. Agent Harbor only. */
  max_cost: z.number().positive().nullish(),
};

/** A request for a run on a thread, with every field that the public clients send. */
export const RunCreate = z.object({
  ...shared,
  multitask_strategy: defaulted(MultitaskStrategy, 'enqueue'),
  if_not_exists: defaulted(z.enum(['create', 'reject']), 'reject'),
  ttl: ThreadTtl.nullish(),
});
export type RunCreate = z.output<typeof RunCreate>;

/** A run on a new thread, which is deleted when the run has ended, unless `on_completion` is `keep`. */
export const RunCreateStateless = z.object({
  ...shared,
  on_completion: defaulted(z.enum(['delete', 'keep']), 'delete'),
});
export type RunCreateStateless = z.output<typeof RunCreateStateless>;

const threadParams = z.object({ thread_id: Uuid });
const runParams = z.object({ thread_id: Uuid, run_id: Uuid });
/** Limits a stream to these namespaces of a run; `""` is the root graph (flag `stream_namespaces`). */
const namespace = z
  .union([z.array(z.string()), z.string()])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .optional();
const streamQuery = z.object({ namespace });
const joinQuery = z.object({
  namespace,
  stream_mode: QueryList.optional(),
  cancel_on_disconnect: QueryBoolean.default(false),
});
const cancelQuery = z
  .object({
    wait: QueryBoolean.default(false),
    action: z.enum(['interrupt', 'rollback']).default('interrupt'),
    /** `taken` means that the run's input became part of another run (public SDK 1.15). */
    reason: z.literal('taken').optional(),
  })
  .refine(({ action, reason }) => reason === undefined || action === 'interrupt', {
    path: ['reason'],
    message: 'Only valid with the action interrupt.',
  });
/** A run's final values, or `FailedRun` with status 200, as the public clients expect. */
const FinalValues = z.unknown();
/** Why a run failed: the class of its error, and the message. */
export const RunError = z.object({ error: z.string(), message: z.string() });
export type RunError = z.output<typeof RunError>;
/** The response to waiting for a run that failed. */
export const FailedRun = z.looseObject({ __error__: RunError });

export const runs = {
  stream: endpoint({
    kind: 'event-stream',
    method: 'POST',
    path: '/threads/{thread_id}/runs/stream',
    summary: 'Create a run and stream its output',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    params: threadParams,
    query: streamQuery,
    body: RunCreate,
  }),
  wait: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/runs/wait',
    summary: 'Create a run and wait for its output',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    params: threadParams,
    body: RunCreate,
    responses: { 200: FinalValues },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/runs',
    summary: 'Create a run in the background',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    params: threadParams,
    body: RunCreate,
    responses: { 200: Run },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/runs',
    summary: 'List the runs of a thread, newest first',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: threadParams,
    query: z.object({
      limit: QueryInteger.pipe(z.int().min(1).max(1000)).default(10),
      offset: QueryInteger.pipe(z.int().min(0)).default(0),
      status: RunStatus.optional(),
      select: QueryList.pipe(z.array(RunField)).optional(),
    }),
    responses: { 200: z.array(Run.partial()) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}',
    summary: 'Get a run',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: runParams,
    responses: { 200: Run },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/threads/{thread_id}/runs/{run_id}',
    summary: 'Delete a run that has ended',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'delete' },
    params: runParams,
    responses: { 204: null },
  }),
  join: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}/join',
    summary: 'Wait for the output of a run',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: runParams,
    query: z.object({ cancel_on_disconnect: QueryBoolean.default(false) }),
    responses: { 200: FinalValues },
  }),
  joinStream: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}/stream',
    summary: 'Follow the output of a run, after Last-Event-ID if given',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: runParams,
    query: joinQuery,
  }),
  cancel: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/runs/{run_id}/cancel',
    summary: 'Cancel a run',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    params: runParams,
    query: cancelQuery,
    responses: { 202: null, 204: null },
  }),
  cancelMany: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/cancel',
    summary: 'Cancel runs by ID, thread or status',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    query: cancelQuery,
    body: z.object({
      status: z.enum(['pending', 'running', 'all']).nullish(),
      thread_id: Uuid.nullish(),
      run_ids: z.array(Uuid).nullish(),
    }),
    responses: { 204: null },
  }),
  streamStateless: endpoint({
    kind: 'event-stream',
    method: 'POST',
    path: '/runs/stream',
    summary: 'Create a run on a new thread and stream its output',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    query: streamQuery,
    body: RunCreateStateless,
  }),
  waitStateless: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/wait',
    summary: 'Create a run on a new thread and wait for its output',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    body: RunCreateStateless,
    responses: { 200: FinalValues },
  }),
  createStateless: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs',
    summary: 'Create a run on a new thread in the background',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    body: RunCreateStateless,
    responses: { 200: Run },
  }),
  createBatch: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/batch',
    summary: 'Create several runs in the background',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    body: z.array(RunCreateStateless).min(1).max(1000),
    responses: { 200: z.array(Run) },
  }),
  joinStreamStateless: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/runs/{run_id}/stream',
    summary: 'Follow the output of a run, after Last-Event-ID if given',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: z.object({ run_id: Uuid }),
    query: joinQuery,
  }),
};
