import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  defaulted,
  JsonObject,
  LifetimeMinutes,
  OptionalObject,
  paging,
  QueryBoolean,
  QueryInteger,
  QueryList,
  SortOrder,
  Uuid,
} from '../fields.ts';

export const ThreadStatus = z.enum(['idle', 'busy', 'interrupted', 'error']);
export type ThreadStatus = z.output<typeof ThreadStatus>;

export const Thread = z.looseObject({
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  state_updated_at: z.string().nullish(),
  metadata: JsonObject,
  status: ThreadStatus,
  config: JsonObject.nullish(),
  /** The values of the newest state; empty for a thread without a state. */
  values: z.unknown(),
  /** Interrupts by task ID. */
  interrupts: JsonObject.nullish(),
  error: z.unknown().optional(),
});
export type Thread = z.output<typeof Thread>;

export const ThreadField = z.enum([
  'thread_id',
  'created_at',
  'updated_at',
  'state_updated_at',
  'metadata',
  'config',
  'context',
  'status',
  'values',
  'interrupts',
  'error',
]);

export const CheckpointConfig = z.looseObject({
  thread_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint_map: JsonObject.nullish(),
});
export type CheckpointConfig = z.output<typeof CheckpointConfig>;

export const Interrupt = z.looseObject({ id: z.string().nullish(), value: z.unknown() });

export const ThreadTask = z.looseObject({
  id: z.string(),
  name: z.string(),
  path: z.array(z.unknown()).nullish(),
  error: z.unknown().nullish(),
  interrupts: z.array(Interrupt).nullish(),
  checkpoint: CheckpointConfig.nullish(),
  state: z.unknown().nullish(),
  result: z.unknown().nullish(),
});

/** A thread state snapshot (docs/interface/agent-server.md#threads). */
export const ThreadState = z.looseObject({
  values: z.unknown(),
  next: z.array(z.string()),
  tasks: z.array(ThreadTask),
  metadata: JsonObject.nullish(),
  created_at: z.string().nullish(),
  checkpoint: CheckpointConfig,
  parent_checkpoint: CheckpointConfig.nullish(),
  interrupts: z.array(Interrupt).nullish(),
  checkpoint_id: z.string().nullish(),
  parent_checkpoint_id: z.string().nullish(),
});
export type ThreadState = z.output<typeof ThreadState>;

/** Minutes until a thread expires, and what happens then; with only a number, the thread is deleted. */
export const ThreadTtl = z
  .union([
    LifetimeMinutes,
    z.object({
      strategy: z.enum(['delete', 'keep_latest']).default('delete'),
      ttl: LifetimeMinutes.nullish(),
    }),
  ])
  .transform((ttl) => (typeof ttl === 'number' ? { strategy: 'delete' as const, ttl } : ttl));

export const RunCommand = z.object({
  update: z.unknown().optional(),
  resume: z.unknown().optional(),
  goto: z.unknown().optional(),
});

const Superstep = z.object({
  updates: z.array(
    z.object({
      values: z.unknown().optional(),
      command: RunCommand.nullish(),
      as_node: z.string(),
    }),
  ),
});

export const ThreadCreate = z.object({
  thread_id: Uuid.nullish(),
  metadata: OptionalObject,
  if_exists: defaulted(z.enum(['raise', 'do_nothing']), 'raise'),
  ttl: ThreadTtl.nullish(),
  supersteps: z.array(Superstep).nullish(),
});
export type ThreadCreate = z.output<typeof ThreadCreate>;

export const ThreadPatch = z.object({ metadata: JsonObject.nullish(), ttl: ThreadTtl.nullish() });

/** The maximum number of keys that a search looks for; each is looked up separately. */
const MAX_METADATA_KEYS = 200;

const ThreadFilter = {
  metadata: JsonObject.refine(
    (metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS,
    `Search by at most ${MAX_METADATA_KEYS} keys.`,
  ).nullish(),
  values: JsonObject.nullish(),
  status: ThreadStatus.nullish(),
};

export const ThreadSearch = z.object({
  ids: z.array(Uuid).nullish(),
  ...ThreadFilter,
  ...paging(1000, 10),
  sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at']).nullish(),
  sort_order: SortOrder.nullish(),
  select: z.array(ThreadField).nullish(),
  /**
   * Paths such as `values.messages[-1]`, by alias; a path that leads nowhere gives null
   * (docs/interface/agent-server.md#threads).
   */
  extract: z
    .record(
      z.string(),
      z
        .string()
        .regex(
          /^(?:values|metadata|config|interrupts)(?:[.[]|$)/,
          'A path must start with values, metadata, config or interrupts, for example values.messages[-1].',
        ),
    )
    .nullish(),
});
export type ThreadSearch = z.output<typeof ThreadSearch>;

export const ThreadCount = z.object(ThreadFilter);

const ThreadStateUpdate = z.object({
  values: z.unknown().optional(),
  checkpoint: CheckpointConfig.nullish(),
  checkpoint_id: z.string().nullish(),
  as_node: z.string().nullish(),
});

export const ThreadHistory = z.object({
  limit: z.int().min(1).max(1000).nullish(),
  before: z
    .union([
      z.string(),
      z.looseObject({ configurable: CheckpointConfig }),
      CheckpointConfig.extend({ configurable: z.never().optional() }),
    ])
    .nullish(),
  metadata: JsonObject.nullish(),
  checkpoint: CheckpointConfig.nullish(),
});
export type ThreadHistory = z.output<typeof ThreadHistory>;

const CheckpointUpdated = z.looseObject({
  checkpoint: JsonObject,
  configurable: JsonObject,
});

const params = z.object({ thread_id: Uuid });
const select = QueryList.optional();

export const threads = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads',
    summary: 'Create a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'create' },
    body: ThreadCreate,
    responses: { 200: Thread },
  }),
  search: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/search',
    summary: 'Search threads',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'search' },
    body: ThreadSearch,
    responses: { 200: z.array(Thread.partial()) },
  }),
  count: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/count',
    summary: 'Count threads',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'search' },
    body: ThreadCount,
    responses: { 200: z.int() },
  }),
  prune: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/prune',
    summary: 'Delete threads, or all of their states except the latest',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'delete' },
    // Strict, because with a misspelled strategy, the newest states would be deleted too.
    body: z.strictObject({
      thread_ids: z.array(Uuid).min(1).max(1000),
      strategy: z.enum(['delete', 'keep_latest']).default('delete'),
    }),
    responses: { 200: z.looseObject({ pruned_count: z.int() }) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}',
    summary: 'Get a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({ include: QueryList.optional() }),
    responses: { 200: Thread },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/threads/{thread_id}',
    summary: 'Merge metadata into a thread, or set its time to live',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    params,
    body: ThreadPatch,
    responses: { 200: Thread, 204: null },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/threads/{thread_id}',
    summary: 'Delete a thread with its state and runs',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'delete' },
    params,
    responses: { 204: null },
  }),
  copy: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/copy',
    summary: 'Copy a thread with its history',
    credentials: 'deployment',
    right: 'run',
    auth: [
      { on: 'threads', action: 'read' },
      { on: 'threads', action: 'create' },
    ],
    params,
    responses: { 200: Thread },
  }),
  getState: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/state',
    summary: 'Get the latest state of a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({ subgraphs: QueryBoolean.default(false), select }),
    responses: { 200: ThreadState },
  }),
  getStateAt: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/state/{checkpoint_id}',
    summary: 'Get the state of a thread at a checkpoint',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params: z.object({ thread_id: Uuid, checkpoint_id: z.string() }),
    query: z.object({ subgraphs: QueryBoolean.default(false), select }),
    responses: { 200: ThreadState },
  }),
  getStateAtCheckpoint: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/state/checkpoint',
    summary: 'Get the state of a thread at a checkpoint, also of a subgraph',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    body: z.object({
      checkpoint: CheckpointConfig,
      subgraphs: z.boolean().nullish(),
      select: z.array(z.string()).nullish(),
    }),
    responses: { 200: ThreadState },
  }),
  updateState: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/state',
    summary: 'Update the state of a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    params,
    body: ThreadStateUpdate,
    responses: { 200: CheckpointUpdated },
  }),
  patchStateMetadata: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/threads/{thread_id}/state',
    summary: 'Merge metadata into a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    params,
    body: z.object({ metadata: OptionalObject }),
    responses: { 200: Thread },
  }),
  history: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/history',
    summary: 'List the states of a thread, newest first',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    body: ThreadHistory,
    responses: { 200: z.array(ThreadState) },
  }),
  historyByQuery: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/threads/{thread_id}/history',
    summary: 'List the states of a thread, newest first',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({
      limit: QueryInteger.pipe(z.int().min(1).max(1000)).optional(),
      before: z.string().optional(),
    }),
    responses: { 200: z.array(ThreadState) },
  }),
};

/** All runs of a thread as one stream. */
export const threadStream = {
  joinStream: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/threads/{thread_id}/stream',
    summary: 'Follow all runs of a thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({ stream_mode: QueryList.optional(), stream_modes: QueryList.optional() }),
  }),
};
