import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, Timestamp, Uuid } from '../fields.ts';
import { ThreadStatus } from './threads.ts';

/** Bytes from the user's own serializer, with their type tag. */
const Serialized = z.object({
  type: z.string().min(1).max(200),
  encoding: z.enum(['utf8', 'base64']),
  data: z.string(),
});

const Name = z.string().max(4_096);

export const ArchivedThread = z.looseObject({
  thread_id: Uuid,
  status: ThreadStatus,
  metadata: JsonObject,
  config: JsonObject.nullish(),
  /** The values of the newest state; if absent, the graph is asked for them. */
  values: z.unknown().optional(),
  interrupts: JsonObject.nullish(),
  error: z.unknown().optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
  state_updated_at: Timestamp.nullish(),
});
export type ArchivedThread = z.output<typeof ArchivedThread>;

/** A part of a thread's history: a checkpoint, a value of a channel, or what a task wrote. */
export const ArchivedRecord = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('checkpoint'),
    checkpoint_ns: Name,
    checkpoint_id: Name.min(1),
    parent_checkpoint_id: Name.nullable(),
    run_id: Name.nullable(),
    /** The checkpoint without its values, which are separate records. */
    checkpoint: Serialized,
    /** The version of each channel's value, by channel. */
    channel_versions: z.record(z.string(), z.string()),
    metadata: JsonObject,
    created_at: Timestamp,
  }),
  z.object({
    kind: z.literal('value'),
    checkpoint_ns: Name,
    channel: Name,
    version: Name,
    value: Serialized,
  }),
  z.object({
    kind: z.literal('write'),
    checkpoint_ns: Name,
    checkpoint_id: Name.min(1),
    task_id: Name,
    index: z.int(),
    task_path: Name,
    channel: Name,
    value: Serialized,
  }),
]);
export type ArchivedRecord = z.output<typeof ArchivedRecord>;

const params = z.object({ thread_id: Uuid });

/**
 * Agent Harbor only: threads as they are stored, to move them from one server to another. A thread cannot be restored
 * from the history that the public interface shows.
 */
export const archive = {
  exportThread: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/threads/{thread_id}/export',
    summary: 'Export a thread with its history, page by page',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({ cursor: z.string().max(20_000).optional() }),
    responses: {
      200: z.looseObject({
        thread: ArchivedThread,
        records: z.array(ArchivedRecord),
        next: z.string().nullable(),
      }),
    },
  }),
  importThread: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/threads/{thread_id}/import',
    summary: 'Import a thread with its history, in one or several requests',
    credentials: 'deployment',
    right: 'run',
    auth: [
      { on: 'threads', action: 'update' },
      { on: 'threads', action: 'create' },
    ],
    params,
    body: z.object({
      /** The thread itself; only in the first request for it. */
      thread: ArchivedThread.optional(),
      records: z.array(ArchivedRecord).max(5_000),
      /** Whether this is the last request for the thread, which can be used from then on. */
      last: z.boolean(),
      if_exists: z.enum(['raise', 'skip', 'replace']).default('raise'),
      /** Added to the thread's own metadata. */
      metadata: JsonObject.nullish(),
    }),
    responses: { 200: z.looseObject({ status: z.enum(['imported', 'skipped', 'unfinished']) }) },
  }),
};
